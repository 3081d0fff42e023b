import Bytes
import Foundation
import JSON
import Testing

/// JSON values, and the texts that are written of them.
@Suite struct JSONValueTests {
  private let value: JSONValue = .object([
    "name": "a \"quoted\" \\ text\n\t\u{1}é", "empty": [], "none": .object([:]),
    "numbers": [1, -2, .real(0.5), .real(1e300), .real(-1e-7)], "flags": [true, false, .null],
  ])

  @Test("Written values are what Foundation reads, and read back", arguments: [false, true])
  func reading(_ isIndented: Bool) throws {
    let text = value.text(indented: isIndented)
    #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(read?["name"] as? String == "a \"quoted\" \\ text\n\t\u{1}é")
    #expect(read?["numbers"] as? [Double] == [1, -2, 0.5, 1e300, -1e-7])
    #expect((read?["flags"] as? [Any])?.count == 3 && read?.count == 5)
  }

  @Test("The text is written on one line, or with a line for each member and element")
  func layout() {
    let value: JSONValue = .object(["b": [1, .object(["c": .null])], "a": [], "o": .object([:])])
    #expect(value.text() == #"{"b":[1,{"c":null}],"a":[],"o":{}}"#)
    #expect(
      value.text(indented: true) == """
        {
          "b": [
            1,
            {
              "c": null
            }
          ],
          "a": [],
          "o": {}
        }
        """)
  }

  @Test("Numbers that JSON does not have become null")
  func nonFinite() {
    #expect(
      JSONValue.array([.real(.nan), .real(.infinity), .real(-.infinity)]).text()
        == "[null,null,null]")
  }

  @Test("Control characters are escaped in four digits")
  func controls() {
    let text = String(String.UnicodeScalarView((0..<0x20).compactMap { Unicode.Scalar($0) }))
    let written = JSONValue.string(text).text()
    #expect(written.hasPrefix(#""\u0000\u0001"#) && written.hasSuffix(#"\u001e\u001f""#))
    #expect(written.contains(#"\t\n\u000b\u000c\r"#))
  }

  @Test("A number is an integer where it has no fraction and fits, and always a real")
  func numbers() {
    #expect(JSONValue.integer(3).real == 3 && JSONValue.integer(3).integer == 3)
    #expect(JSONValue.real(3).integer == 3 && JSONValue.real(3.5).integer == nil)
    #expect(JSONValue.real(0x1p63).integer == nil && JSONValue.real(-0x1p63).integer == .min)
    #expect(JSONValue.real(.nan).integer == nil && JSONValue.string("3").integer == nil)
    #expect(JSONValue.bool(true).integer == nil && JSONValue.null.real == nil)
  }

  @Test("A value is returned only as its own type, and an integer also as a real")
  func accessors() {
    let values: [JSONValue] = [.null, true, 1, .real(1.5), "a", [1], .object(["a": 1])]
    #expect(values.map { $0.object != nil } == [false, false, false, false, false, false, true])
    #expect(values.map { $0.array != nil } == [false, false, false, false, false, true, false])
    #expect(values.map { $0.string != nil } == [false, false, false, false, true, false, false])
    #expect(values.map { $0.bool != nil } == [false, true, false, false, false, false, false])
    #expect(values.map { $0.real != nil } == [false, false, true, true, false, false, false])
  }

  @Test("Members keep their order, few and many, when some are set again or removed")
  func order() {
    for count in [3, 100] {
      var object = JSONObject()
      for number in 0..<count { object["k\(number)"] = .integer(number) }
      object["k1"] = "again"
      object["k0"] = nil
      object["none"] = nil
      #expect(object.keys == (1..<count).map { "k\($0)" })
      #expect(object["k1"] == "again" && object["k2"] == 2 && object["k0"] == nil)
      object["k0"] = 7
      #expect(object.keys.last == "k0" && object["k0"] == 7)
      for number in 0..<count { object["k\(number)"] = nil }
      #expect(object == JSONObject() && object.keys.isEmpty)
    }
  }

  @Test("Objects of the same members in another order are equal and have equal hashes")
  func equality() {
    let (first, second): (JSONObject, JSONObject) = (["a": 1, "b": [2]], ["b": [2], "a": 1])
    #expect(first == second && first.hashValue == second.hashValue)
    #expect(first != ["a": 1] && first != ["a": 1, "b": [3]] && first != ["a": 1, "c": [2]])
  }

  @Test("A dictionary becomes an object sorted by its keys")
  func dictionary() {
    #expect(["b": "2", "a": "1", "c": "3"].jsonObject.keys == ["a", "b", "c"])
    #expect([String: String]().jsonObject == [:])
  }
}
