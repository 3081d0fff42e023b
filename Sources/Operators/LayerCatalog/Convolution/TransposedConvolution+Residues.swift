import Bytes
import GraphIR

/// A transposed convolution as several convolutions: the elements of the output whose positions have the same
/// residues modulo the strides are a convolution of the input with some of the kernel's elements, in reverse
/// order.
extension TransposedConvolution {
  /// The elements of the window that add to the output's positions with one residue along an axis.
  private struct Residue {
    /// The output's positions modulo the stride.
    let position: Int
    /// The first element, the distance to the next one, and their number, at least 1.
    let first: Int, step: Int, count: Int
    /// The distance in the input of the elements that two adjacent ones multiply.
    let dilation: Int
    /// The size of the padding before the input.
    let before: Int
    /// The size of the padding after it.
    let after: Int

    /// All that an axis has. Positions without elements of the window have none, so that there are no
    /// more than elements, however large the stride is.
    static func all(
      of window: Window, axis: Int, inputSize: Int, outputSize: Int
    ) -> [Residue] {
      let (stride, dilation) = (window.strides[axis], window.dilation[axis])
      let elements = Dictionary(grouping: 0..<window.size[axis]) { $0 * dilation % stride }
      return elements.sorted { $0.key < $1.key }.map { position, elements in
        Residue(
          position, elements, stride: stride, dilation: dilation, inputSize: inputSize,
          outputSize: outputSize)
      }
    }

    /// - Parameter elements: Those of the window, at least one.
    private init(
      _ position: Int, _ elements: [Int], stride: Int, dilation: Int, inputSize: Int,
      outputSize: Int
    ) {
      self.position = position
      (first, count) = (elements[0], elements.count)
      step = count > 1 ? elements[1] - first : 1
      self.dilation = step * dilation / stride == 0 ? 1 : step * dilation / stride
      let start = first * dilation / stride
      before = start + (count - 1) * self.dilation
      after = (outputSize - position + stride - 1) / stride - inputSize - start
    }
  }

  /// The elements of the uncropped output, `[batch, channels, spatial...]`, each added in the same order as by
  /// the definition; the weights must be finite, because those in the padding are multiplied by 0.
  func elements(
    _ inputs: [Tensor], uncropped: [Int], workers: Workers
  ) throws(WeighbridgeError) -> [Double] {
    let input = inputs[0].permuted(layout.axesToChannelsFirst(rank: inputs[0].shape.count))
    let planes = input.shape[0] * inputs[1].shape[1] * groups
    var elements = [Double](repeating: 0, count: planes * uncropped.reduce(1, *))
    if hasBias { fill(&elements, with: inputs[2].doubles, planes: planes) }
    let residues = uncropped.enumerated().map { axis, size in
      Residue.all(of: window, axis: axis, inputSize: input.shape[axis + 2], outputSize: size)
    }
    for indices in PaddedPlanes.indices(of: residues.map(\.count)) {
      let parts = zip(residues, indices).map { $0[$1] }
      let results = try convolved(input, inputs, parts, workers)
      place(results, at: parts.map(\.position), in: &elements, uncropped)
    }
    return elements
  }

  private func fill(_ elements: inout [Double], with bias: [Double], planes: Int) {
    let size = elements.count / max(1, planes)
    for plane in 0..<planes {
      for index in plane * size..<(plane + 1) * size { elements[index] = bias[plane % bias.count] }
    }
  }

  /// The elements of the output with some residues, `[batch, channels, spatial...]`.
  private func convolved(
    _ input: Tensor, _ inputs: [Tensor], _ residues: [Residue], _ workers: Workers
  ) throws(WeighbridgeError) -> Tensor {
    let size = residues.map(\.count)
    var kernel = inputs[1].splitting(0, into: [groups, inputs[1].shape[0] / groups])
    for (axis, residue) in residues.enumerated() {
      kernel = kernel.strided(
        along: axis + 3, from: residue.first, count: residue.count, step: residue.step)
    }
    let spatial = Array(3..<3 + size.count)
    kernel = kernel.reversed(along: spatial).permuted([0, 2, 1] + spatial)
    kernel = kernel.reshaped([groups * kernel.shape[1], kernel.shape[2]] + size)
    let convolution = Convolution(
      window: Window(
        size: size, strides: size.map { _ in 1 }, dilation: residues.map(\.dilation),
        padding: .explicit(before: residues.map(\.before), after: residues.map(\.after))),
      groups: groups, hasBias: hasBias, layout: .channelsFirst)
    return try convolution.evaluate([input, kernel] + inputs[2...], workers: workers)[0]
  }

  /// Writes elements to where the output's positions have the residues.
  private func place(
    _ part: Tensor, at residues: [Int], in elements: inout [Double], _ uncropped: [Int]
  ) {
    let steps = Tensor.rowMajorStrides(uncropped)
    let offsets = PaddedPlanes.offsets(
      Array(part.shape[2...]), zip(steps, window.strides).map(*))
    let start = zip(steps, residues).map(*).reduce(0, +)
    let (numbers, size) = (part.doubles, uncropped.reduce(1, *))
    var next = 0
    for plane in 0..<part.shape[0] * part.shape[1] {
      for offset in offsets {
        elements[plane * size + start + offset] = numbers[next]
        next += 1
      }
    }
  }
}
