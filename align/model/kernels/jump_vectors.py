"""Vector intrinsics for the jumps of one step of the HMM: all origins and positions at once.

Rows are given as tuples ``(array, start, ...)``, see ``isogloss.align.kernels.vector_code``.
"""

from ...kernels.lazy import Intrinsic

GROUP = 4  # rows of a band that are added up side by side, so that none waits for another

_CODE = "isogloss.align.model.kernels.jump_code"
jump_sums = Intrinsic(_CODE, "jump_sums")
jump_maxima = Intrinsic(_CODE, "jump_maxima")
jump_sums_back = Intrinsic(_CODE, "jump_sums_back")
band_products = Intrinsic(_CODE, "band_products")
