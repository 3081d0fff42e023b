import Bytes
import GraphIR

/// How ``Resizing`` fits an image with another aspect ratio.
package enum ResizingFit: Hashable, Sendable {
  /// The image is stretched.
  case stretch
  /// Its largest centered part with the output's aspect ratio is used.
  case crop
  /// It is padded with a number on both sides until it has the output's aspect ratio.
  case pad(Double)

  /// The name in stored attributes.
  enum Name: String, CaseIterable, Sendable { case stretch, crop, pad }

  /// - Parameter fillValue: The number of ``pad(_:)``.
  init(_ name: Name, fillValue: Double?) {
    switch name {
    case .stretch: self = .stretch
    case .crop: self = .crop
    case .pad: self = .pad(fillValue ?? 0)
    }
  }

  var fillValue: Double? { if case .pad(let value) = self { value } else { nil } }

  var name: Name {
    switch self {
    case .stretch: .stretch
    case .crop: .crop
    case .pad: .pad
    }
  }

  /// Returns the image to be stretched, with sizes rounded as in Keras.
  ///
  /// - Parameter axes: The two spatial axes.
  func fitted(
    _ input: Tensor, _ axes: [Int], to dimensions: [Int]
  ) throws(WeighbridgeError) -> Tensor {
    if self == .stretch { return input }
    let old = axes.map { input.shape[$0] }
    var result = input
    for (index, axis) in axes.enumerated() {
      let range = range(index, of: old, for: dimensions)
      switch self {
      case .stretch: break
      case .crop: result = result.slice(range, along: axis)
      case .pad(let value):
        if range.lowerBound < 0 {
          result = try Self.pad(result, along: axis, by: -range.lowerBound, value)
        }
      }
    }
    return result
  }

  /// The range of a spatial axis that is stretched; with padding, it extends beyond the axis.
  ///
  /// - Parameters:
  ///   - index: The index of the spatial axis: 0 or 1.
  ///   - old: The input's spatial sizes.
  ///   - dimensions: The output's spatial sizes.
  package func range(_ index: Int, of old: [Int], for dimensions: [Int]) -> Range<Int> {
    let other = 1 - index
    // The size at which the input would have the output's aspect ratio.
    let proportional = Int(Float(old[other] * dimensions[index]) / Float(dimensions[other]))
    switch self {
    case .stretch: return 0..<old[index]
    case .crop:
      let count = max(1, min(old[index], proportional))
      let start = Int(Float(old[index] - count) / 2)
      return start..<start + count
    case .pad:
      let border = Int(Float(max(proportional, old[index]) - old[index]) / 2)
      return -border..<old[index] + border
    }
  }

  private static func pad(
    _ input: Tensor, along axis: Int, by border: Int, _ value: Double
  ) throws(WeighbridgeError) -> Tensor {
    var shape = input.shape
    shape[axis] += 2 * border
    _ = try Checked.product(shape + [8], of: "the size of the padded input")
    let run = shape[(axis + 1)...].reduce(1, *)
    let size = input.shape[axis] * run
    let (elements, padding) = (input.doubles, [Double](repeating: value, count: border * run))
    var result: [Double] = []
    for slice in 0..<shape[..<axis].reduce(1, *) {
      result += padding + elements[slice * size..<(slice + 1) * size] + padding
    }
    return Tensor(input.elementType, shape: shape, result)
  }
}
