"""What doctor finds, as a section of a report."""

from collections.abc import Sequence
from pathlib import Path

from ..pages.report import Section, Table
from .doctor import Diagnosis

__all__ = ["findings_section"]


def findings_section(diagnosis: Diagnosis, files: Sequence[Path]) -> Section:
    """Findings with what to do, the most serious first."""
    rows = [
        (finding.level, finding.topic, finding.text + finding.where, finding.remedy)
        for finding in diagnosis.findings
    ]
    table = Table("Findings", ("level", "about", "seen", "what to do"), rows, text_columns=4)
    return Section(f"Findings, {', '.join(file.name for file in files)}", [table], files)
