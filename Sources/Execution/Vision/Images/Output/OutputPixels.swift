package import GraphIR

/// How numbers of a model become pixels: the inverse of how pixels become numbers.
package struct OutputPixels: Sendable {
  private let record: ImageInput

  /// - Parameter record: What an 8-bit component x is for the model: `x * scale + bias`, in its color
  ///   order. The scale must not be 0, and there must be a bias for each component.
  package init(_ record: ImageInput) { self.record = record }

  /// The image of numbers in axes `[height, width, component]`: each is rounded to the nearest whole
  /// number of 0...255.
  package func image(_ numbers: [Float], width: Int, height: Int) -> Image {
    let count = record.colorOrder.componentCount
    let order =
      switch record.colorOrder {
      case .rgb: [0, 1, 2]
      case .bgr: [2, 1, 0]
      case .gray: [0, 0, 0]
      }
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    for pixel in 0..<width * height {
      for component in 0..<3 {
        let source = order[component]
        let number = (Double(numbers[pixel * count + source]) - record.bias[source]) / record.scale
        pixels[pixel * 3 + component] = UInt8(min(max(number.rounded(), 0), 255))
      }
    }
    return Image(width: width, height: height, pixels: pixels)
  }
}
