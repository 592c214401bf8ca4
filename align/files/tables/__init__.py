"""Types as tables of other libraries: Arrow, pandas, Polars."""
