import LayerCatalog

extension Concept {
  /// The explanation, as Markdown.
  var text: String {
    switch self {
    case .rounding:
      """
      Unless stated otherwise, formulas are computed in float64 from the values of the inputs, and \
      each element of an output is rounded once, to the nearest value of the output's element \
      type, ties to even. Intermediate results are not rounded: neither the states of a recurrent \
      layer between steps, nor attention weights, nor means. Sums may be computed in any order. \
      Each operator states the element types of its outputs; weights may have a different \
      floating-point type than the input, unless stated otherwise.
      """
    case .specialNumbers:
      """
      NaN and infinities follow IEEE 754: the product of 0 and infinity is NaN, and a comparison \
      with NaN does not hold. Where an operator deviates from what its formula would yield, the \
      formula says so. "NaN stays NaN" means that the output is NaN where the input is.
      """
    case .axes:
      """
      Axes are counted from 0, the outermost, including the batch axis. They are never negative. \
      Lists of axes are in ascending order, unless stated otherwise.
      """
    case .layouts:
      """
      An image tensor has a batch axis, one channel axis and one or more spatial axes (height and \
      width, for example). `layout` is `channels_first`, `[batch, channels, spatial...]`, or \
      `channels_last`, `[batch, spatial..., channels]`; the output has the same order. Formulas \
      are written in channels-first order, x[n, c, i], where i stands for the indices of all \
      spatial axes. Weights have one order, whatever the layout.
      """
    case .windows:
      """
      A window slides over each spatial axis. With the entries of `window`, `strides` and \
      `dilation` for an axis of the given size:

      ```text
      effective = (window - 1) * dilation + 1
      valid: before = after = 0
      same: total = max(0, (ceil(size / stride) - 1) * stride + effective - size)
        before = floor(total / 2), after = total - before
      explicit: before = padding_before, after = padding_after
      positions = floor((size + before + after - effective) / stride) + 1
      window p covers the elements p * stride + k * dilation - before, for k from 0 to window - 1
      ```

      size + before + after must be at least effective. Elements outside of the input are padding; \
      the operator defines their value.
      """
    case .borders:
      "`before` and `after` have one entry for each spatial axis: a number of elements."
    case .broadcasting:
      """
      All inputs have the same number of axes; none are added. Along each axis, the sizes other \
      than 1 are equal, and the output has that size, or 1 if there is none. Along an axis of size \
      1, the same input element is used for every index of the output.
      """
    case .lanes:
      """
      A lane consists of the elements whose indices differ only along the given axes. In the \
      formulas, x[i] and y[i] are the elements of one lane, in row-major order of these axes, and \
      sums are over the lane. Without axes, every element is a lane of its own.
      """
    case .sizes:
      """
      In `reshape` and `reshape_axes`, a size of -1 is inferred: it is the number of elements of \
      the input (in `reshape`, without the batch axis) divided by the product of the other sizes, \
      which must be positive and divide it. In `broadcast_to`, -1 means the input's size along \
      that axis. A size of 0 means 0.
      """
    case .indices:
      """
      Indices, and numbers that are looked up or hashed, are truncated to integers. An index out \
      of range, NaN, or a number that does not fit in 64 bits is an error when the model runs, \
      unless stated otherwise.
      """
    case .integers:
      """
      Integers are exact wherever an operator selects, compares, sorts, converts or moves elements. The \
      attribute `overflow` says what stands for a result that the element type cannot represent: \
      with `wrap` (TensorFlow, Keras, JAX and ONNX) the result modulo 2^bits, computed exactly for \
      all types, with `saturate` the nearest number. Where it is absent, as in files of version \
      0.2.0, such a result is an error when the model runs, unless stated otherwise. Unless they \
      wrap around, integers of 64 bits are computed below 2^53, and larger ones are an error. A \
      division by 0 and a negative exponent are errors in any case.
      """
    case .attention: Self.attentionText
    case .groupedHeads:
      """
      Keys and values may have fewer heads than queries: the query has r times as many, and its \
      head h uses their head g = floor(h / r).
      """
    case .recurrence: Self.recurrenceText
    case .activations:
      """
      The value of an activation attribute is the kind of an operator with one input, in its \
      current version. That operator's attributes follow, prefixed with the attribute's name and a \
      dot: `activation` = `elu` comes with `activation.alpha`. [softmax](#softmax), \
      [log_softmax](#log_softmax), [sparsemax](#sparsemax) and \
      [unit_normalization](#unit_normalization) are applied to the units of one gate in one step, \
      and their `axes` is [1].
      """
    case .sampling: Self.samplingText
    }
  }

  private static let attentionText = """
    Queries i and keys j are counted from 0 even if their numbers differ: `causal` aligns the \
    first query with the first key. `window` and `causal` require a single axis of queries. The \
    mask is bool, true for keys that are attended to; along an axis of size 1 it applies to every \
    index.

    ```text
    attends[i, j] = (not causal, or j <= i) and (no window, or |i - j| < window)
                    and (no mask, or mask[..., i, j])
    for the keys j (and k) with attends[i, j]:
      m = max over j of score[i, j]
      w[i, j] = exp(score[i, j] - m) / (sum over k of exp(score[i, k] - m))
    for other keys: w[i, j] = 0
    if query i attends to no key, by fully_masked_rows:
      mean: w[i, j] = 1 / (number of keys)
      zero: w[i, j] = 0
      unmasked: w[i, j] as if it attended to all keys
    ```
    """

  private static let recurrenceText = """
    For each sequence n of T steps, with the state h and, if the operator has one, the cell state c:

    ```text
    h, c = initial_h, initial_c if initial_states, else 0; y = 0
    for t = 0, 1, ..., T - 1, or t = T - 1, ..., 1, 0 if go_backwards:
      if there is a mask and mask[n, t] is false: h and c stay as they are
        y = y for previous, 0 for zero, h for state
      else:
        h, c = by the formula of the operator, of x = input[n, t] and the h, c before the step
        y = h
      if return_sequences: output[n, t] = y
    if not return_sequences: output[n] = y
    last_h[n], last_c[n] = h, c
    ```

    The output of a step has the position of that step in the input, even with `go_backwards`. \
    The states are not rounded between steps. W is `kernel` and U is `recurrent_kernel`: their \
    rows are those of the first gate, then those of the second, and so on. b is `bias`, or its \
    row 0 if it has the shape `[2, ...]`; b' is then its row 1, and otherwise 0. Without a bias, \
    both are 0.
    """

  private static let samplingText = """
    The weight of each input element i of n in output element o of m, along one axis. \
    Coordinates are computed in float32, because their rounding can decide which element is \
    nearest; weights are computed in float64.

    ```text
    s = n / m, u = (o + 0.5) * s
    nearest: 1 for i = min(floor(u), n - 1)
    bilinear, not antialias: v = min(max(c, 0), n - 1), where c = u - 0.5 or that of grid,
      i = floor(v), f = v - i
      1 - f for i, and f for i + 1 if f > 0
    bicubic, not antialias: v = u - 0.5, f = round(1024 * (v - floor(v))) / 1024, ties to even
      cubic(1 + f), cubic(f), cubic(1 - f), cubic(2 - f) for the elements from floor(v) - 1 on;
      those outside of the input are omitted, the others divided by their sum
    area: (length of the overlap of i...i + 1 and o * s...(o + 1) * s) / s
    others: s = 1 / (m / n), e = max(s, 1) if antialias, else 1, u = (o + 0.5) * s
      i from ceil(u - radius * e - 0.5) to floor(u + radius * e - 0.5), both clamped to 0...n - 1
      kernel(|i + 0.5 - u| * (1 / e)), divided by their sum
    kernels at the distance d:
      bilinear, radius 1: max(0, 1 - d)
      bicubic, radius 2: cubic(d) = 1.5 d^3 - 2.5 d^2 + 1 for d < 1,
        -0.5 d^3 + 2.5 d^2 - 4 d + 2 for d < 2, 0 beyond
      mitchellcubic, radius 2: 7/6 d^3 - 2 d^2 + 8/9 for d < 1,
        -7/18 d^3 + 2 d^2 - 10/3 d + 16/9 for d < 2, 0 beyond
      gaussian, radius 1.5: exp(-2 d^2) for d < 1.5, else 0
      lanczos3 and lanczos5, radius a = 3 and 5: 0 for d > a, 1 for d <= 0.001,
        a sin(pi d) sin(pi d / a) / (pi d)^2 otherwise
    ```
    """
}
