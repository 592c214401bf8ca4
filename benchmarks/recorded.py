"""Figures of aligners that can't be run on the spot: measured once, from their sources.

Versions: MGIZA of the moses-smt repository, commit 6105035, with 50 word classes (mkcls) and the
schedule 5/3 (HMM) or 5/3/3/3 (Model 4); Berkeley Aligner commit b074394, joint HMM 5/3, its own
soft union in the last column; fast_align commit cab1e9a, 5 iterations. Text and gold as in
mixtures.py, except for A: there the first 20,000 pairs of the mixture and both gold texts (20,967
pairs). User CPU seconds of the whole job in both directions on 2 cores (x86-64) that others used,
too.
"""

from dataclasses import dataclass

__all__ = ["EFLOMAL_SECONDS", "RECORDED", "SECONDS", "Recorded"]


@dataclass(frozen=True)
class Recorded:
    """AER in percent by gold text: intersection, grow-diag-final, -and, own or best; nan = none."""

    system: str
    seconds: float
    aer: dict[str, tuple[float, float, float, float]]


NAN = float("nan")

RECORDED = {
    "A": (
        Recorded("MGIZA HMM, a quarter of A", 149.0, {
            "en-fr-hansards/test": (15.86, 25.79, 16.42, NAN),
            "en-fr-fiction-gold/test": (19.31, 29.01, 18.25, NAN),
        }),
        Recorded("MGIZA Model 4, a quarter of A", 283.2, {
            "en-fr-hansards/test": (16.64, 22.76, 14.75, NAN),
            "en-fr-fiction-gold/test": (18.77, 25.33, 16.55, NAN),
        }),
        Recorded("Berkeley, a quarter of A", 250.6, {
            "en-fr-hansards/test": (9.07, 19.53, 12.56, 11.12),
            "en-fr-fiction-gold/test": (12.25, 23.70, 15.90, 14.40),
        }),
        Recorded("eflomal 2.0, its best column", 116.5, {
            "en-fr-hansards/test": (NAN, NAN, NAN, 6.54),
            "en-fr-fiction-gold/test": (NAN, NAN, NAN, 7.92),
        }),
        Recorded("fast_align, a quarter of A", 20.5, {
            "en-fr-hansards/test": (14.14, 23.35, 20.24, NAN),
            "en-fr-fiction-gold/test": (17.83, 29.19, 22.74, NAN),
        }),
    ),
    "B": (
        Recorded("MGIZA HMM", 131.5, {
            "en-cs-gold/commentary": (39.8, 39.0, 32.2, NAN),
            "en-cs-gold/stories": (47.3, 47.0, 38.9, NAN),
            "en-cs-gold/law": (30.3, 30.4, 25.1, NAN),
            "en-cs-gold/newswire": (41.9, 37.2, 32.3, NAN),
        }),
        Recorded("MGIZA Model 4", 229.4, {
            "en-cs-gold/commentary": (37.2, 36.5, 30.8, NAN),
            "en-cs-gold/stories": (43.8, 44.7, 37.6, NAN),
            "en-cs-gold/law": (28.3, 27.7, 23.5, NAN),
            "en-cs-gold/newswire": (38.8, 35.3, 31.1, NAN),
        }),
        Recorded("eflomal 2.0, its best column", 43.0, {
            "en-cs-gold/commentary": (NAN, NAN, NAN, 16.84),
            "en-cs-gold/stories": (NAN, NAN, NAN, 23.77),
            "en-cs-gold/law": (NAN, NAN, NAN, 13.16),
            "en-cs-gold/newswire": (NAN, NAN, NAN, 17.92),
        }),
    ),
    "C": (
        Recorded("MGIZA HMM", 263.9, {
            "en-es-gold/parliament": (36.1, 38.1, 31.9, NAN),
            "en-es-gold/parliament-graca100": (21.9, 33.1, 26.1, NAN),
            "en-es-gold/wikipedia-test": (27.8, 26.8, 23.0, NAN),
        }),
        Recorded("MGIZA Model 4", 502.6, {
            "en-es-gold/parliament": (34.6, 34.1, 29.4, NAN),
            "en-es-gold/parliament-graca100": (24.4, 30.3, 24.2, NAN),
            "en-es-gold/wikipedia-test": (27.0, 23.5, 21.1, NAN),
        }),
        Recorded("eflomal 2.0, its best column", 75.2, {
            "en-es-gold/parliament": (NAN, NAN, NAN, 26.47),
            "en-es-gold/parliament-graca100": (NAN, NAN, NAN, 20.84),
            "en-es-gold/wikipedia-test": (NAN, NAN, NAN, 17.56),
        }),
    ),
    "P": (
        Recorded("MGIZA HMM", 103.7, {"en-fr-hansards/test": (15.09, 24.07, 15.25, NAN)}),
        Recorded("MGIZA Model 4", 213.3, {"en-fr-hansards/test": (16.01, 21.81, 14.43, NAN)}),
        Recorded("Berkeley", 178.8, {"en-fr-hansards/test": (9.09, 19.90, 13.21, 11.33)}),
        Recorded("fast_align", 15.9, {"en-fr-hansards/test": (13.94, 22.49, 19.31, NAN)}),
    ),
}  # fmt: skip

# whole job, user CPU, of those that are compared in speed
SECONDS = {
    "C": {"fast_align": 35.9, "MGIZA HMM": 263.9, "MGIZA Model 4": 502.6},
    "B": {"MGIZA HMM": 131.5, "MGIZA Model 4": 229.4},
}
# and of eflomal on the machine and day when those were taken
EFLOMAL_SECONDS = {"A": 116.5, "B": 43.0, "C": 75.2}
