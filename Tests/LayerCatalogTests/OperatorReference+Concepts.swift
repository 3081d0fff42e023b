import LayerCatalog

extension Concept {
  /// The explanation, as Markdown.
  var text: String {
    switch self {
    case .rounding:
      """
      If nothing else is said, formulas are computed in float64 from the values of the inputs, and each element of \
      an output is rounded once to the output's element type, to the nearest number, ties to \
      even. Nothing is rounded in between: not the states of a recurrent layer between steps, \
      not attention weights, not means. The order of sums is free. The element type of each \
      output is given with the operator; weights may have another floating-point type than the \
      input, unless the operator says otherwise.
      """
    case .specialNumbers:
      """
      NaN and infinities follow IEEE 754: a product of 0 and an infinity is NaN, a comparison \
      with NaN does not hold. Where an operator differs from what its formula would give so, the \
      formula says it. "NaN stays NaN" means that the output is NaN where the input is.
      """
    case .axes:
      """
      Axes are counted from 0, the outermost, and the batch counts as axis 0. They are never \
      negative. Lists of axes rise, if nothing else is said.
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

      size + before + after must be at least effective. What lies outside of the input is \
      padding; the operator says what it counts.
      """
    case .borders:
      "`before` and `after` have one entry for each spatial axis, a number of elements."
    case .broadcasting:
      """
      The inputs have the same number of axes; no axes are added. Along each axis their sizes are \
      equal or 1, and the output has the size that is not 1, if there is one. Along an axis of \
      size 1 an input's index is 0 for each index of the output.
      """
    case .lanes:
      """
      A lane consists of the elements that differ in their indices along the given axes only. In \
      formulas x[i] and y[i] are the elements of one lane, in row-major order of these axes; sums \
      run over the lane. Without axes each element is a lane by itself.
      """
    case .sizes:
      """
      A size of -1 stands, in `reshape` and `reshape_axes`, for the number of elements that is \
      left: that of the input (in `reshape` without the batch axis) divided by the product of \
      the other sizes, which must be above 0 and divide it. In `broadcast_to` it stands for the \
      input's size along that axis. A size of 0 is 0.
      """
    case .indices:
      """
      Numbers that are looked up lose their fraction (rounded towards 0). An index outside of \
      what is indexed, NaN, and a number that 64 bits do not hold are errors when the model runs, \
      unless the operator says something else.
      """
    case .integers:
      """
      Integers are computed in float64 too, exactly up to 2^53; larger ones may be rounded, also \
      where an operator only chooses or moves elements. A result that is not a number of the element \
      type (too large, or infinite after a division by 0) is an error when the model runs.
      """
    case .attention: Self.attentionText
    case .groupedHeads:
      """
      Keys and values may have fewer heads than queries: the number of heads of the query is a \
      multiple r of theirs, and head h of the query uses their head g = floor(h / r).
      """
    case .recurrence: Self.recurrenceText
    case .activations:
      """
      An activation of a cell is named by the kind of an operator with one input, of its current \
      version. Its attributes follow under the attribute's name: with `activation` = `elu` there \
      is `activation.alpha`. [softmax](#softmax), [log_softmax](#log_softmax), \
      [sparsemax](#sparsemax) and [unit_normalization](#unit_normalization) work along the units \
      of one gate of one step, and their `axes` is [1].
      """
    case .sampling: Self.samplingText
    }
  }

  private static let attentionText = """
    Queries i and keys j are counted from 0, also where they differ in number: `causal` aligns \
    them at the first ones. `window` and `causal` need a single axis of queries. The mask is \
    bool, true for a key that is seen; a size of 1 counts for each index.

    ```text
    seen[i, j] = (not causal, or j <= i) and (no window, or |i - j| < window)
                 and (no mask, or mask[..., i, j])
    m = max over seen j of score[i, j]
    w[i, j] = exp(score[i, j] - m) / (sum over seen k of exp(score[i, k] - m)) for seen j
    w[i, j] = 0 for others
    if query i attends to no key, by fully_masked_rows:
      mean: w[i, j] = 1 / (number of keys)
      zero: w[i, j] = 0
      unmasked: w[i, j] as if it saw all keys
    ```
    """

  private static let recurrenceText = """
    For each sequence n of T steps, with the states h and, if the operator has it, c:

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

    The output of a step stands at the position of the step in the input, also if `go_backwards`. \
    The states are not rounded between steps. W is `kernel` and U `recurrent_kernel`: their rows \
    are those of the first gate, then those of the second, and so on. b is `bias`, or its row 0 \
    where it is `[2, ...]`; b' is then its row 1, and 0 otherwise. What has no bias has 0.
    """

  private static let samplingText = """
    The weights by which output element o of m is made of the input elements i of n along one \
    axis. Coordinates are computed in float32, since their rounding can decide which element is \
    nearest; weights in float64.

    ```text
    s = n / m, u = (o + 0.5) * s
    nearest: 1 for i = min(floor(u), n - 1)
    bilinear, not antialias: v = min(max(u - 0.5, 0), n - 1), i = floor(v), f = v - i
      1 - f for i, and f for i + 1 if f > 0
    bicubic, not antialias: v = u - 0.5, f = round(1024 * (v - floor(v))) / 1024, ties to even
      cubic(1 + f), cubic(f), cubic(1 - f), cubic(2 - f) for the elements from floor(v) - 1 on;
      those outside of the input are left out, the others divided by their sum
    area: (length that i...i + 1 and o * s...(o + 1) * s have in common) / s
    others: s = 1 / (m / n), e = max(s, 1) if antialias, else 1, u = (o + 0.5) * s
      i from ceil(u - radius * e - 0.5) to floor(u + radius * e - 0.5), both moved into 0...n - 1
      kernel(|i + 0.5 - u| * (1 / e)), divided by their sum
    kernels at the distance d:
      bilinear, radius 1: max(0, 1 - d)
      bicubic, radius 2: cubic(d) = 1.5 d^3 - 2.5 d^2 + 1 for d < 1,
        -0.5 d^3 + 2.5 d^2 - 4 d + 2 for d < 2, 0 from there on
      mitchellcubic, radius 2: 7/6 d^3 - 2 d^2 + 8/9 for d < 1,
        -7/18 d^3 + 2 d^2 - 10/3 d + 16/9 for d < 2, 0 from there on
      gaussian, radius 1.5: exp(-2 d^2) for d < 1.5, else 0
      lanczos3 and lanczos5, radius a = 3 and 5: 0 for d > a, 1 for d <= 0.001,
        a sin(pi d) sin(pi d / a) / (pi d)^2 otherwise
    ```
    """
}
