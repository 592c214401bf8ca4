"""Vector intrinsics for the steps of the HMM's passes, and for the rows of its bands.

Rows are given as tuples ``(array, start, ...)``, see ``isogloss.align.kernels.vector_code``.
"""

from ...kernels.lazy import Intrinsic

_CODE = "isogloss.align.model.kernels.step_code"
forward_step = Intrinsic(_CODE, "forward_step")
best_step = Intrinsic(_CODE, "best_step")
backward_step = Intrinsic(_CODE, "backward_step")
turn_step = Intrinsic(_CODE, "turn_step")
band_row = Intrinsic(_CODE, "band_row")
class_row = Intrinsic(_CODE, "class_row")
explained = Intrinsic(_CODE, "explained")
