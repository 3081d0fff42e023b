package import Bytes

extension Graphic {
  /// Returns the drawing as an SVG file with embedded images.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when an image cannot be encoded.
  package func svg() throws(WeighbridgeError) -> String {
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
        + "viewBox=\"0 0 \(width) \(height)\" font-family=\"monospace\" font-size=\"10\">",
      "<rect width=\"\(width)\" height=\"\(height)\" fill=\"#ffffff\"/>",
    ]
    for item in items {
      switch item {
      case .rectangle(let area, let color):
        lines.append("<rect \(area.attributes) fill=\"\(color.svg)\"/>")
      case .image(let area, let image):
        let data = try image.encoded(as: .png).base64
        lines.append(
          "<image \(area.attributes) preserveAspectRatio=\"none\" "
            + "href=\"data:image/png;base64,\(data)\"/>")
      case .text(let text, let x, let y, let color):
        lines.append(
          "<text x=\"\(x.svg)\" y=\"\((y + 7).svg)\" textLength=\"\(Self.textWidth(text).svg)\" "
            + "fill=\"\(color.svg)\">\(text.escapedForXML)</text>")
      }
    }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }
}

extension Graphic.Area {
  fileprivate var attributes: String {
    "x=\"\(x.svg)\" y=\"\(y.svg)\" width=\"\(width.svg)\" height=\"\(height.svg)\""
  }
}

extension Graphic.Color {
  fileprivate var svg: String {
    "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Double {
  /// The number with up to three decimals.
  fileprivate var svg: String { "\((self * 1000).rounded() / 1000)" }
}

extension String {
  /// Escapes the special characters of XML, and replaces those that XML does not allow.
  fileprivate var escapedForXML: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
