"""Scaled forward and backward passes of one direction and domain of a sentence pair.

States are the words 0..I-1 and, for each, a null copy that remembers it (Och & Ney 2003), and a
null state that remembers the start. The passes work on float32 rows of padded(I) states. A jump
within the window is an entry of a band, longer ones are running sums, so that a step takes time in
proportion to the number of states. Likelihoods are summed in float64.
"""

import numpy as np

from ...kernels.lazy import borrowing
from ...kernels.simd import add_scaled, clear, product_sum
from .jump_vectors import band_products, jump_sums, jump_sums_back
from .step_vectors import backward_step, forward_step, turn_step
from .transitions import band_places, num_groups
from .workspace import WORK_ROWS

PATIENCE = 4  # masses are scaled every so many steps,
FORGOTTEN = np.float32(1e-12)  # a chance of standing at the start below this is taken for 0


@borrowing
def forward_pass(shape, null_probability, small, workspace):
    """Scaled forward pass; returns log P(generated | states) and 1 / P of the end.

    Masses are scaled now and then, and when their sum falls below ``small``.

    word: float32[J, P], word i at step j; mass: float32[J + 1, P], word i or its null copy before
    step j. Both lack the scale of their own step.
    """
    emission, null_emission = workspace.emission, workspace.null_emission
    word, mass, scale = workspace.word, workspace.mass, workspace.scale
    work, band = workspace.work, workspace.bands.numbers
    width, step, window = shape.width, shape.step, shape.window
    _, by_position, right, left, starts, ends, _ = band_places(shape.band, window, width)
    beside, far = step - width, shape.num_states > window + 1
    jumps = band, by_position + window * width, right + 2 * width, left + 2 * width
    stay_probability = np.float32(null_probability)
    move = np.float32(1.0) - stay_probability
    clear((work, 0), width)
    clear((mass, shape.mass_base - beside), beside + step)
    of_start = np.float32(1.0)
    inverse = np.float32(1.0)
    product, log_likelihood = 1.0, 0.0
    for j in range(shape.num_generated):
        row = shape.base + j * width
        old = shape.mass_base + j * step
        new = old + step
        if j > 0:
            jump_sums((work, 0), (mass, old), jumps, (window, far), width)
        if of_start > 0.0:
            add_scaled((work, 0), (band, starts), of_start, width)
        stay = stay_probability * null_emission[shape.nulls + j] * inverse
        total = forward_step(
            (work, 0), (emission, row), (mass, old), (word, row), (mass, new),
            (move * inverse, stay), width,
        )  # fmt: skip
        clear((mass, new + width), beside)
        of_start *= stay
        inverse = np.float32(1.0)
        if of_start < FORGOTTEN * total:
            of_start = np.float32(0.0)
        total += of_start
        if j % PATIENCE == PATIENCE - 1 or total < small:
            # not in every step: the next one would have to wait for the sum and the division
            inverse /= total
            product *= total
            if product < 1e-200 or product > 1e200:
                log_likelihood += np.log(product)
                product = 1.0
        scale[shape.scales + 2 * j] = inverse
        scale[shape.scales + 2 * j + 1] = of_start
    last = shape.mass_base + shape.num_generated * step
    total = of_start * band[ends + shape.num_states]
    total += product_sum((mass, last), (band, ends), width)
    total *= inverse
    return log_likelihood + np.log(product) + np.log(np.float64(total)), np.float32(1.0) / total


@borrowing
def backward_pass(shape, null_probability, weight, inverse_end, workspace):
    """Backward pass: writes link posteriors to ``link[side]`` and expected jumps to ``ratio``.

    Both are arrays of the workspace. The future of a word is that of its null copy: they remember
    the same position. The jumps lack their probability; see ``count_jumps``.
    """
    emission, null_emission = workspace.emission, workspace.null_emission
    word, mass, scale = workspace.word, workspace.mass, workspace.scale
    work, band, link = workspace.work, workspace.bands.numbers, workspace.link
    ahead, factor, ratio = workspace.ahead, workspace.factor, workspace.ratio
    width, step, window = shape.width, shape.step, shape.window
    by_origin, _, right, left, starts, ends, _ = band_places(shape.band, window, width)
    _, _, rightwards, leftwards, first, last, behind_ratio = band_places(0, window, width)
    groups, beside = num_groups(window), step - width
    far = shape.num_states > window + 1
    jumps = band, by_origin + window * width, left, right
    jumped, before, behind, future = 0, width, 2 * width, 3 * width
    stay_probability, weight = np.float32(null_probability), np.float32(weight)
    move = np.float32(1.0) - stay_probability
    links = shape.side * (len(link) // 2)
    nulls = shape.side * (len(workspace.null_link) // 2)
    clear((work, 0), WORK_ROWS * width)
    clear((ahead, shape.num_generated * step), beside)
    clear((ratio, rightwards), behind_ratio - rightwards)
    mass_at = shape.mass_base + shape.num_generated * step
    inverse = scale[shape.scales + 2 * shape.num_generated - 2]
    of_start = scale[shape.scales + 2 * shape.num_generated - 1]
    add_scaled((work, future), (band, ends), inverse_end, width)
    add_scaled((ratio, last), (mass, mass_at), weight * inverse * inverse_end, width)
    ratio[last + shape.num_states] = weight * of_start * inverse * inverse_end
    future_of_start = band[ends + shape.num_states] * inverse_end
    for j in range(shape.num_generated - 1, -1, -1):
        row = shape.base + j * width
        mass_at = shape.mass_base + j * step
        ahead_at = beside + j * step
        inverse = scale[shape.scales + 2 * j]
        null = scale[shape.scales + 2 * j + 1] * future_of_start
        null += backward_step(
            (work, future), (word, row), (mass, mass_at + step), (emission, row),
            (link, links + j * width), (ahead, ahead_at), (inverse, inverse * move), width,
        )  # fmt: skip
        clear((ahead, ahead_at - beside), beside)
        workspace.null_link[nulls + j] = null * inverse
        stay = stay_probability * null_emission[shape.nulls + j] * inverse
        earlier, of_start = np.float32(0.0), np.float32(1.0)
        if j > 0:
            earlier = scale[shape.scales + 2 * j - 2]
            of_start = scale[shape.scales + 2 * j - 1] * earlier
        factor[j] = weight * earlier
        if of_start > 0.0:
            future_of_start *= stay
            future_of_start += product_sum((band, starts), (ahead, ahead_at), width)
            add_scaled((ratio, first), (ahead, ahead_at), weight * of_start, width)
        if j > 0:
            jump_sums_back(
                (work, jumped), (ahead, ahead_at), jumps, (window, far), (work, before, behind),
                width,
            )  # fmt: skip
            turn_step(
                (work, jumped), (work, future), (mass, mass_at), (work, behind, before),
                (ratio, rightwards, leftwards), (stay, weight * earlier), width,
            )  # fmt: skip
    if weight > 0.0:
        band_products(
            (ratio, 0), (factor, 1), (mass, shape.mass_base + step, step),
            (ahead, beside + step - window, step), (shape.num_generated - 1, groups, width),
        )  # fmt: skip
