"""Links between the tokens of one tokenization and those of another."""
