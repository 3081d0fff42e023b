package import GraphIR

/// Converts a model's output into pixels: the inverse of the preprocessing.
package struct OutputPixels: Sendable {
  private let encoding: ImageInput

  /// - Parameter encoding: The model's encoding of an 8-bit component x: `x * scale + bias`, in its
  ///   color order. The scale must not be 0, and there must be a bias for each component.
  package init(_ encoding: ImageInput) { self.encoding = encoding }

  /// Returns the image of elements in axes `[height, width, component]`, each rounded to the
  /// nearest integer in 0...255.
  package func image(_ numbers: [Float], width: Int, height: Int) -> Image {
    let count = encoding.colorOrder.componentCount
    let order =
      switch encoding.colorOrder {
      case .rgb: [0, 1, 2]
      case .bgr: [2, 1, 0]
      case .gray: [0, 0, 0]
      }
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    for pixel in 0..<width * height {
      for component in 0..<3 {
        let source = order[component]
        let number =
          (Double(numbers[pixel * count + source]) - encoding.bias[source]) / encoding.scale
        pixels[pixel * 3 + component] = UInt8(min(max(number.rounded(), 0), 255))
      }
    }
    return Image(width: width, height: height, pixels: pixels)
  }
}
