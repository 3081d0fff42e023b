import Bytes
import Foundation
import JSON
import KerasFormat
import Testing

/// The compiled functions of Lambda layers, read as data.
@Suite struct LambdaCodeTests {
  /// The functions compiled by Python 2.7 to 3.13, by version and then by source.
  private static func stored() throws -> JSONObject {
    let path = file("../../../../Samples/Custom/Lambda/functions.json")
    let json = try JSONValue(parsing: [UInt8](Data(contentsOf: URL(filePath: path))))
    return try #require(json.object)
  }

  private func code(_ text: String) throws -> PythonCode {
    let function: JSONValue = [.string(text), .null, .null]
    let record = KerasLayerRecord(
      name: "l", className: "Lambda", config: ["function": function, "function_type": "lambda"])
    let stored = try KerasLambdaCode(of: record)
    return try #require(stored).code
  }

  @Test(
    "A function's expression is recovered from its compiled code",
    arguments: ["2.7", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13"])
  func expressions(version: String) throws {
    let functions = try #require(Self.stored()[version]?.object)
    // Lists and tuples, and redundant parentheses, are not distinguished.
    let normalized = [
      "lambda x: 1.0 - x * 2": "1.0 - (x * 2)",
      "lambda x: (x - np.array([103.5, 116.25, 123.75])) / 2.0":
        "(x - np.array((103.5, 116.25, 123.75))) / 2.0",
      "lambda x, a=2.0: x * a": "x * a",
      "lambda x: K.reverse(x, axes=[1, 2, 3])": "K.reverse(x, axes=(1, 2, 3))",
      "lambda x: tf.image.resize_images(x, (66, 200), align_corners=True)":
        "tf.image.resize_images(x, (66, 200), align_corners=True)",
      "lambda x: tf.image.resize(x, [66, 200], method='nearest')":
        "tf.image.resize(x, (66, 200), method='nearest')",
      "resize": "tensorflow.image.resize_images(image, (40, 160))",
      "lambda x: K.abs(x[0] - x[1]) ** 2": "K.abs(x[0] - x[1]) ** 2",
      "lambda x: tf.where(x > 0.5, x, x % 3)": "tf.where(x > 0.5, x, x % 3)",
      "lambda x: tf.concat([x, -x, x[:, 2:]], axis=-1)":
        "tf.concat((x, -x, x[:, 2:]), axis=-1)",
      "lambda x: x // 2 <= K.sum(x, axis=[1, 2], keepdims=True)":
        "(x // 2) <= K.sum(x, axis=(1, 2), keepdims=True)",
      "exchanged": "((v[1] - v[0]) * 2, v[1] * v[0])",
      "rotated": "a[0] * a[1] + (a[0] * a[2])", "captured": "K.clip(x, -limit, limit)",
    ]
    // Conditions and loops are not supported.
    let unsupported: Set = [
      "lambda x: K.softmax(x) if x is None else x", "lambda x: [y for y in x]", "discarded",
    ]
    for text in functions.keys {
      let code = try code(functions[text]?.string ?? "")
      let expression = code.expression?.text(Array(code.variables.prefix(code.argumentCount)))
      if unsupported.contains(text) {
        #expect(expression == nil, "\(text)")
      } else if text == "raw" {
        #expect(code.name == "resize")
        #expect(expression == normalized["resize"])
      } else {
        #expect(expression == normalized[text] ?? String(text.dropFirst("lambda x: ".count)))
      }
    }
    #expect(try code(functions["captured"]?.string ?? "").freeNames == ["limit"])
    let condition = try code(functions["lambda x: K.softmax(x) if x is None else x"]?.string ?? "")
    #expect(condition.names.suffix(2) == ["K", "softmax"])  // the names in Python 2 include None
  }

  @Test(
    "A negative operand has the parentheses without which Python reads something else",
    arguments: [
      // Compiled by Python 3.11.7, which makes a constant of -1.5.
      (
        "4wEAAAAAAAAAAAAAAAIAAAADAAAA8w4AAACXAHwACwBkAXoIAABTACkCTukCAAAAqQApAdoBeHMBAAAA"
          + "INoBZvoIPGxhbWJkYT5yBgAAAAEAAADzAAAAAHIHAAAA",
        "(-x) ** 2"
      ),
      (
        "4wEAAAAAAAAAAAAAAAIAAAADAAAA8wwAAACXAGQBfAB6CAAAUwApAk5nAAAAAAAA+L+pACkB2gF4cwEA"
          + "AAAg2gFm+gg8bGFtYmRhPnIFAAAAAQAAAPMAAAAAcgYAAAA=",
        "(-1.5) ** x"
      ),
      (
        "4wEAAAAAAAAAAAAAAAIAAAADAAAA8w4AAACXAHwAZAF6CAAACwBTACkCTukCAAAAqQApAdoBeHMBAAAA"
          + "INoBZvoIPGxhbWJkYT5yBgAAAAEAAADzAAAAAHIHAAAA",
        "-(x ** 2)"
      ),
      (
        "4wEAAAAAAAAAAAAAAAEAAAADAAAA8xIAAACXAHwACwBqAAAAAAAAAAAAUwApAU4pAdoDZm9vKQHaAXhz"
          + "AQAAACDaAWb6CDxsYW1iZGE+cgUAAAABAAAA8wAAAAByBgAAAA==",
        "(-x).foo"
      ),
      (
        "4wEAAAAAAAAAAAAAAAIAAAADAAAA8xQAAACXAHwACwBkARkAAAAAAAAAAABTACkCTukAAAAAqQApAdoB"
          + "eHMBAAAAINoBZvoIPGxhbWJkYT5yBgAAAAEAAADzAAAAAHIHAAAA",
        "(-x)[0]"
      ),
      (
        "4wEAAAAAAAAAAAAAAAIAAAADAAAA8xYAAACXAHwACwBkAXoFAAB8AAsAegoAAFMAKQJO6QIAAACpACkB"
          + "2gF4cwEAAAAg2gFm+gg8bGFtYmRhPnIGAAAAAQAAAPMAAAAAcgcAAAA=",
        "-x * 2 - -x"
      ),
      (
        "4wEAAAAAAAAAAAAAAAIAAAADAAAA8x4AAACXAHwAZAEZAAAAAAAAAAAAagAAAAAAAAAAAAsAUwApAk7p"
          + "AAAAACkB2gNmb28pAdoBeHMBAAAAINoBZvoIPGxhbWJkYT5yBgAAAAEAAADzAAAAAHIHAAAA",
        "-x[0].foo"
      ),
    ] as [(String, String)])
  func negativeOperands(_ compiled: String, _ expected: String) throws {
    #expect(try code(compiled).expression?.text(["x"]) == expected)
  }

  @Test("Python 3.4 and 3.5 wrote instructions of the sizes of Python 2 in functions of Python 3")
  func python34() throws {
    // `lambda x: K.sum(x, axis=1) + 2`, assembled by hand from the opcodes of Python 3.5.
    let instructions: [UInt8] = [
      116, 0, 0, 106, 1, 0, 124, 0, 0, 100, 1, 0, 100, 2, 0, 131, 1, 1, 100, 3, 0, 23, 83,
    ]
    func counted(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count), 0, 0, 0] + bytes }
    func text(_ string: String) -> [UInt8] {
      [0x7A, UInt8(string.utf8.count)] + Array(string.utf8)
    }
    func number(_ value: UInt8) -> [UInt8] { [0x69, value, 0, 0, 0] }
    let zero = [UInt8](repeating: 0, count: 4)
    var bytes: [UInt8] = [0xE3, 1, 0, 0, 0] + zero + [1, 0, 0, 0] + [4, 0, 0, 0] + [67, 0, 0, 0]
    bytes += [0x73] + counted(instructions)
    bytes += [0x29, 4, 0x4E] + text("axis") + number(1) + number(2)
    bytes += [0x29, 2] + text("K") + text("sum")
    bytes += [0x29, 1] + text("x") + [0x29, 0, 0x29, 0]
    bytes += text("f.py") + text("<lambda>") + [1, 0, 0, 0, 0x73] + zero
    let code = try code(Data(bytes).base64EncodedString())
    #expect(code.expression?.text(["x"]) == "K.sum(x, axis=1) + 2")
  }

  @Test(
    "Truncated code is refused, and changed code is refused or read without a trap")
  func damaged() throws {
    var (readCount, refusedCount) = (0, 0)
    for version in ["2.7", "3.6", "3.11", "3.13"] {
      let functions = try Self.stored()[version]?.object
      let text = try #require(functions?["lambda x: x[:, None, -1, :]"]?.string)
      let bytes = [UInt8](try #require(Data(base64Encoded: text)))
      for count in 0..<bytes.count {
        let cut = Data(bytes.prefix(count)).base64EncodedString()
        if count > 0 { #expect(throws: WeighbridgeError.self) { try code(cut) } }
      }
      for index in bytes.indices {
        for bit in 0..<8 {
          var changed = bytes
          changed[index] ^= 1 << UInt8(bit)
          do {
            _ = try code(Data(changed).base64EncodedString()).expression
            readCount += 1
          } catch let error as WeighbridgeError {
            let codes: Set<WeighbridgeError.Code> = [.malformed, .unsupported, .limitExceeded]
            #expect(codes.contains(error.code), "\(error)")
            refusedCount += 1
          }
        }
      }
    }
    #expect(readCount > 0 && refusedCount > 0)
  }

  @Test("Hostile code is refused", arguments: HostileCode.all)
  func hostile(_ hostile: HostileCode) throws {
    let error = #expect(throws: WeighbridgeError.self) {
      try code(Data(hostile.bytes).base64EncodedString())
    }
    #expect(error?.code == hostile.code)
  }

  @Test("A text that is not a compiled function is refused")
  func noCode() {
    for text in ["secret", "Y!", "c", "\u{E3}\u{20AC}", String(repeating: "A", count: 2 << 20)] {
      #expect(throws: WeighbridgeError.self) { try code(text) }
    }
  }
}

/// Bytes in the format of `marshal` that no version of Python writes.
struct HostileCode: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: [UInt8]
  var code = WeighbridgeError.Code.malformed

  private static let head: [UInt8] = [0xE3] + [UInt8](repeating: 0, count: 20) + [0x73, 0, 0, 0, 0]

  static let all: [HostileCode] = [
    HostileCode(
      testDescription: "a list of 2^31 - 1 constants",
      bytes: head + [0x28, 0xFF, 0xFF, 0xFF, 0x7F]),
    HostileCode(
      testDescription: "a list of -1 constants", bytes: head + [0x28, 0xFF, 0xFF, 0xFF, 0xFF]),
    HostileCode(
      testDescription: "an integer of 2^31 digits", bytes: head + [0x6C, 0, 0, 0, 0x80]),
    HostileCode(
      testDescription: "a list that is an element of itself",
      bytes: head + [0xA9, 1, 0x72, 1, 0, 0, 0]),
    HostileCode(
      testDescription: "a reference to nothing", bytes: head + [0x72, 0xFF, 0xFF, 0xFF, 0x7F]),
    HostileCode(
      testDescription: "a list in a list, 10,000 times",
      bytes: head + (0..<10_000).flatMap { _ -> [UInt8] in [0x29, 1] } + [0x4E],
      code: .limitExceeded),
    HostileCode(
      testDescription: "references that double the values 60 times",
      bytes: head + [0x29, 61, 0xA9, 2, 0x4E, 0x4E]
        + (0..<60).flatMap { index -> [UInt8] in
          [0xA9, 2] + [0x72, UInt8(index + 1), 0, 0, 0, 0x72, UInt8(index + 1), 0, 0, 0]
        }, code: .limitExceeded),
  ]
}
