package import GraphIR

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells whether images are much alike, as crops of one photo are, by the distributions of their
/// components.
package enum ImageVariety {
  /// The spread of crops of one photo relative to that of generated images, which nine in ten photos
  /// do not exceed and different photos do. Brightness alone tells less, so that gray images must be
  /// more alike.
  private static func limit(_ image: ImageInput) -> Double { image.colorOrder == .gray ? 0.4 : 1.3 }

  /// Whether images are much alike.
  ///
  /// - Parameters:
  ///   - tensors: At least two inputs of images.
  ///   - generated: Generated images of the kind ``GeneratedImageKind/photo``.
  ///   - image: The preprocessing of both.
  package static func areAlike(
    _ tensors: [Tensor], generated: [Tensor], _ image: ImageInput
  ) -> Bool {
    guard tensors.count > 1, generated.count > 1 else { return false }
    return spread(tensors, image.layout) < limit(image) * spread(generated, image.layout)
  }

  /// The root mean square distance of the images' quantiles from their mean.
  private static func spread(_ tensors: [Tensor], _ layout: DataLayout) -> Double {
    let points = tensors.map { quantiles($0, layout) }
    let square = (points.first ?? []).indices.reduce(0.0) { sum, position in
      let mean = points.reduce(0) { $0 + $1[position] } / Double(points.count)
      return sum + points.reduce(0) { $0 + ($1[position] - mean) * ($1[position] - mean) }
    }
    return (square / Double(points.count - 1)).squareRoot()
  }

  /// 17 quantiles of each component, from the smallest to the largest.
  private static func quantiles(_ tensor: Tensor, _ layout: DataLayout) -> [Double] {
    guard let axes = layout.imageAxes(rank: tensor.shape.count) else { return [] }
    let others = tensor.shape.indices.filter { $0 != axes.channels }
    let numbers = tensor.permuted([axes.channels] + others).doubles
    let count = numbers.count / max(1, tensor.shape[axes.channels])
    guard count > 0 else { return [] }
    return stride(from: 0, to: numbers.count, by: count).flatMap { start in
      let sorted = numbers[start..<start + count].sorted()
      return (0...16).map { sorted[$0 * (count - 1) / 16] }
    }
  }
}
