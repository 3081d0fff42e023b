import Foundation
import ONNXConversion
import TestSupport
import Testing

/// The list of ONNX's operators in `ToONNX.md`, which `WEIGHBRIDGE_GENERATE=1` writes anew.
@Suite struct ONNXOperatorListTests {
  @Test("The article lists the operators that are read")
  func list() throws {
    let path = "\(Paths.project)/Sources/Product/Weighbridge/Weighbridge.docc/ToONNX.md"
    let text = String(decoding: try Files.read(path), as: UTF8.self)
    let (start, end) = ("<!-- operators -->\n", "<!-- /operators -->")
    let before = try #require(text.range(of: start))
    let after = try #require(text.range(of: end))
    let names = ONNXOperators.readable
    #expect(names.count > 150)
    let expected =
      text[..<before.upperBound] + names.map { "`\($0)`" }.joined(separator: " ") + "\n"
      + text[after.lowerBound...]
    if ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1" {
      try Files.write(String(expected).utf8, to: path)
    }
    #expect(try String(decoding: Files.read(path), as: UTF8.self) == String(expected))
  }
}
