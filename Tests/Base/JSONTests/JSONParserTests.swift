import Bytes
import JSON
import Testing

/// JSON texts by RFC 8259.
@Suite struct JSONParserTests {
  private func parse(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8))
  }

  /// The two examples of section 13, as texts.
  @Test("The examples of RFC 8259, section 13, are read")
  func examples() throws {
    let image = try parse(
      """
      {"Image": {"Width": 800, "Height": 600, "Title": "View from 15th Floor", "Thumbnail":
      {"Url": "http://www.example.com/image/481989943", "Height": 125, "Width": 100},
      "Animated" : false, "IDs": [116, 943, 234, 38793]}}
      """)
    let members = try #require(image.object?["Image"]?.object)
    #expect(members.keys == ["Width", "Height", "Title", "Thumbnail", "Animated", "IDs"])
    #expect(members["Thumbnail"]?.object?["Width"] == 100)
    #expect(members["Animated"] == false)
    #expect(members["IDs"] == [116, 943, 234, 38793])
    let places = try parse(
      """
      [{"precision": "zip", "Latitude": 37.7668, "Longitude": -122.3959, "Zip": "94107"},
       {"precision": "zip", "Latitude": 37.371991, "Longitude": -122.026020, "Zip": "94085"}]
      """)
    #expect(places.array?.map { $0.object?["Longitude"]?.real } == [-122.3959, -122.026020])
    #expect(places.array?.last?.object?["Zip"] == "94085")
  }

  @Test(
    "Any value may stand alone, with blanks around it",
    arguments: [
      ("null", .null), (" true", true), ("false\n", false), ("\t\r\n 0 ", 0), ("[]", []),
      ("{ }", .object(JSONObject())), ("\"\"", ""), ("[ 1 , [ ] ]", [1, []]),
    ] as [(String, JSONValue)])
  func values(_ text: String, _ expected: JSONValue) throws { #expect(try parse(text) == expected) }

  @Test(
    "Numbers without a fraction and an exponent are integers where they fit",
    arguments: [
      ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .real(0x1p63)),
      ("1e3", .real(1000)), ("1E+2", .real(100)), ("-2.5e-1", .real(-0.25)), ("0.0", .real(0)),
      ("0e0", .real(0)), ("1e400", .real(.infinity)), ("1e-400", .real(0)),
      ("Infinity", .real(.infinity)), ("-Infinity", .real(-.infinity)),
    ] as [(String, JSONValue)])
  func numbers(_ text: String, _ expected: JSONValue) throws {
    #expect(try parse(text) == expected)
  }

  @Test("NaN as Python writes it is read")
  func nan() throws { #expect(try parse("[NaN]").array?.first?.real?.isNaN == true) }

  @Test(
    "Escapes of RFC 8259, section 7, are read, pairs of surrogates among them",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
      (#""\uD834\uDD1E""#, "\u{1D11E}"), (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\u0000""#, "\0"),
      ("\"größe ∞ 𝄞\"", "größe ∞ 𝄞"), ("\"\u{7F}\"", "\u{7F}"),
    ])
  func strings(_ text: String, _ expected: String) throws {
    #expect(try parse(text).string?.unicodeScalars.elementsEqual(expected.unicodeScalars) == true)
  }

  @Test(
    "A syntax error is refused at its byte",
    arguments: [
      ("", 0), (" ", 1), ("01", 0), ("-01", 0), ("-", 1), ("+1", 0), (".5", 0), ("1.", 2),
      ("1.e3", 2), ("1e", 2), ("1e+", 3), ("0x10", 1), ("tru", 0), ("True", 0), ("nul", 0),
      ("-Inf", 0), ("nan", 0), ("[1,]", 3), ("[1 2]", 3), ("[1", 2), ("[", 1), ("]", 0),
      ("{", 1), ("{,}", 1), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1,}", 7), ("{a:1}", 1),
      ("{'a':1}", 1), ("1 1", 2), ("[1]]", 3), ("\"", 1), ("\"a", 2), ("\"\\\"", 3),
      ("\"\\x\"", 3), ("\"\\u12\"", 5), ("\"\\u12g4\"", 5), ("\"\n\"", 1), ("\"\0\"", 1),
      (#""\ud800""#, 7), (#""\ud800\n""#, 8), (#""\ud800\u0041""#, 13), (#""\udc00""#, 7),
      ("\u{FEFF}1", 0), ("/* */1", 0), ("1//", 1),
    ])
  func malformed(_ text: String, _ offset: Int) {
    let error = #expect(throws: WeighbridgeError.self) { _ = try parse(text) }
    #expect(error?.code == .malformed)
    #expect(error?.place.position == .byte(offset), "\(text): \(error?.description ?? "")")
  }

  @Test(
    "Bytes that are not UTF-8 are refused in a string and outside of it",
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22],
      [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0xFF], [0x5B, 0xC3, 0xA9, 0x5D],
    ] as [[UInt8]])
  func encoding(_ bytes: [UInt8]) {
    let error = #expect(throws: WeighbridgeError.self) { _ = try JSONValue(parsing: bytes) }
    #expect(error?.code == .malformed)
  }

  @Test("A duplicate key is refused at its second position, for any number of keys")
  func duplicates() throws {
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try parse(#"{"a": 1, "b": 2, "a": 3}"#)
    }
    #expect(error?.code == .malformed && error?.place.position == .byte(17))
    #expect(error?.reason == "the key \"a\" occurs twice")
    let many = (0..<100).map { "\"k\($0)\": \($0)" }.joined(separator: ",")
    #expect(try parse("{\(many)}").object?["k99"] == 99)
    for (text, key) in [("{\(many), \"k57\": 0}", "k57"), (#"{"é": 1, "\u00e9": 2}"#, "é")] {
      let error = #expect(throws: WeighbridgeError.self) { _ = try parse(text) }
      #expect(error?.code == .malformed && error?.reason == "the key \"\(key)\" occurs twice")
    }
  }

  /// Section 8.3: names are compared code unit by code unit.
  @Test(
    "Canonically equivalent keys are distinct, for any number of keys",
    arguments: [0, 40])
  func equivalentKeys(_ others: Int) throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let rest = (0..<others).map { ", \"k\($0)\": null" }.joined()
    var object = try #require(try parse("{\"\(composed)\": 1, \"\(decomposed)\": 2\(rest)}").object)
    #expect(object[composed] == 1 && object[decomposed] == 2)
    object[composed] = nil
    #expect(object[composed] == nil && object[decomposed] == 2)
    let (first, second): (JSONObject, JSONObject) = ([composed: 1], [decomposed: 1])
    #expect(first != second)
  }

  @Test("Nesting up to the limit is read, and more is over the limit")
  func depth() throws {
    var limits = JSONValue.Limits()
    limits.depth = 3
    _ = try JSONValue(parsing: Array("[[{\"a\": 1}], [[]]]".utf8), limits: limits)
    for text in ["[[[[]]]]", "[[{\"a\": {}}]]"] {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try JSONValue(parsing: Array(text.utf8), limits: limits)
      }
      #expect(error?.code == .limitExceeded)
    }
    let brackets = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    let error = #expect(throws: WeighbridgeError.self) { _ = try JSONValue(parsing: brackets) }
    #expect(error?.code == .limitExceeded)
  }

  @Test("A text longer than the limit is refused before it is looked at")
  func length() throws {
    var limits = JSONValue.Limits()
    limits.byteCount = 4
    #expect(try JSONValue(parsing: Array("true".utf8), limits: limits) == true)
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try JSONValue(parsing: Array("@@@@@".utf8), limits: limits)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("A text that is cut off anywhere is refused")
  func truncation() {
    let text = Array(#"{"a": [1.5e3, "b\u00e9", true], "c": {"d": null}}"#.utf8)
    #expect(throws: Never.self) { _ = try JSONValue(parsing: text) }
    for count in 0..<text.count {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try JSONValue(parsing: Array(text[..<count]))
      }
      #expect(error?.code == .malformed, "\(count) bytes")
    }
  }
}
