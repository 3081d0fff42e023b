/// The color of a pixel.
package struct PixelColor: Hashable, Sendable {
  /// The components, 0...255 each.
  package let red, green, blue: UInt8

  static let black = PixelColor(gray: 0)
  static let white = PixelColor(gray: 255)

  /// Creates a color from its components.
  package init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// Creates a gray, from 0 for black to 255 for white.
  package init(gray: UInt8) { self.init(red: gray, green: gray, blue: gray) }

  /// Creates a distinct color for each class: consecutive hues are a golden ratio of the circle
  /// apart, so that neighboring classes differ most.
  init(classIndex: Int) {
    let goldenRatio = 0.618_033_988_749_895
    let turns = Double(classIndex) * goldenRatio
    let hue = (turns - turns.rounded(.down)) * 6
    func component(_ shift: Double) -> UInt8 {
      // On the color wheel, each component is at its maximum over a third of the circle.
      let distance = abs((hue + shift).truncatingRemainder(dividingBy: 6) - 3)
      return UInt8(40 + 215 * min(max(distance - 1, 0), 1))
    }
    self.init(red: component(0), green: component(4), blue: component(2))
  }

  /// Black or white, whichever is easier to read on this color.
  var textColor: PixelColor {
    // Above this luminance black has the higher contrast: (l + 0.05)² > 0.05 * 1.05.
    luminance > 0.179 ? .black : .white
  }

  /// The relative luminance of WCAG 2, in 0...1, with a gamma of 2 instead of the sRGB curve of
  /// about 2.2.
  private var luminance: Double {
    func linear(_ component: UInt8) -> Double {
      let value = Double(component) / 255
      return value * value
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}
