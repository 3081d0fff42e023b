import Bytes
import JSON
import Testing
import YAML

/// What YAML means, against what PyYAML 6.0 makes of the same text.
@Suite struct YAMLTests {
  private func value(
    _ text: String, _ limits: JSONValue.YAMLLimits = .init()
  ) throws(WeighbridgeError) -> JSONValue {
    try JSONValue(yaml: Array(text.utf8), limits: limits)
  }

  private func failure(_ text: String, _ limits: JSONValue.YAMLLimits = .init())
    -> WeighbridgeError?
  {
    do {
      _ = try value(text, limits)
      return nil
    } catch { return error }
  }

  @Test(
    "An unquoted scalar has the type that PyYAML gives it",
    arguments: [
      ("1", JSONValue.integer(1)), ("-12", .integer(-12)), ("+3", .integer(3)), ("0", .integer(0)),
      ("1.0", .real(1)), ("1.0e-07", .real(1e-7)), ("1.5e+3", .real(1500)), ("5.", .real(5)),
      (".5", .real(0.5)), ("-.inf", .real(-.infinity)), ("1e-07", .string("1e-07")),
      ("1.0e5", .string("1.0e5")), ("null", .null), ("~", .null), ("!!null x", .null),
      ("true", .bool(true)), ("No", .bool(false)), ("tf", .string("tf")),
      ("'1'", .string("1")), ("\"a\\nb\"", .string("a\nb")), ("!!str 7", .string("7")),
      ("!!python/unicode 'x'", .string("x")), ("!!python/long 5", .integer(5)),
      ("!!float 5", .real(5)), ("100000000000000000000", .real(1e20)),
      ("1.2.3", .string("1.2.3")), ("-", .array([.null])), (".", .string(".")),
    ])
  func scalars(_ text: String, _ expected: JSONValue) throws {
    #expect(try value(text) == expected, "\(text)")
  }

  @Test("Lists, mappings and tuples nest, and aliases repeat what was anchored")
  func nesting() throws {
    let text = """
      class_name: Model
      shape: !!python/tuple [null, 28, 28]
      layers:
      - {name: a, sizes: &id001 [1, 2]}
      - name: b
        sizes: *id001
      """
    let sizes: JSONValue = [1, 2]
    let first: JSONObject = ["name": "a", "sizes": sizes]
    let second: JSONObject = ["name": "b", "sizes": sizes]
    #expect(
      try value(text)
        == .object([
          "class_name": "Model", "shape": [.null, 28, 28],
          "layers": [.object(first), .object(second)],
        ]))
  }

  @Test(
    "Values that JSON lacks, and invalid YAML, are refused with their line",
    arguments: [
      ("a: [1, 2", 2, "not YAML: did not find expected"), ("a: 1\na: 2", 2, "occurs twice"),
      ("x: 1\ny: *b", 2, "*b is undefined"), ("&a [*a]", 1, "*a is undefined"),
      ("a: 1\nb: !!python/object/apply:os.system [ls]", 2, "!!python/object/apply:os.system"),
      ("f: !!python/name:os.system ''", 1, "!!python/name:os.system, which is not supported"),
      ("[1, 2]: 3", 1, "not a string"),
      ("a: &x {b: 1}\nc:\n  <<: *x", 3, "merged"), ("a: 1\n---\nb: 2", 2, "a second YAML document"),
      ("!!int x", 1, "\"x\" is not of the type !!int"), ("", 0, "the document is empty"),
      ("\u{1}", 1, "not YAML"),
    ])
  func refused(_ text: String, _ line: Int, _ reason: String) throws {
    let error = try #require(failure(text))
    #expect(error.reason.contains(reason), "\(error)")
    if line > 0 { #expect(error.place.position == .line(line), "\(error)") }
  }

  @Test("Nested aliases, depth and length are limited")
  func limits() throws {
    var bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    for level in 1...20 {
      let aliases = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      bomb += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(failure(bomb)?.code == .limitExceeded)
    let deep = String(repeating: "[", count: 100_000)
    #expect(failure(deep)?.code == .limitExceeded)
    var limits = JSONValue.YAMLLimits()
    limits.byteCount = 3
    #expect(failure("abcd", limits)?.reason.contains("over the limit of 3") == true)
  }

  @Test("Truncated and damaged texts are read or refused without a trap")
  func damaged() throws {
    let text = Array(
      "a: !!python/tuple [null, &x 'b', \"c\\u00e9\", *x]\nd:\n- - e\n  - {f: 1.0}\n".utf8)
    var (readCount, refusedCount) = (0, 0)
    func read(_ bytes: [UInt8]) {
      do throws(WeighbridgeError) {
        _ = try JSONValue(yaml: bytes)
        readCount += 1
      } catch {
        refusedCount += 1
        let codes: Set<WeighbridgeError.Code> = [.malformed, .unsupported]
        #expect(codes.contains(error.code), "\(error)")
      }
    }
    for count in 0..<text.count { read(Array(text[..<count])) }
    #expect(readCount > 0 && refusedCount > 0)
    (readCount, refusedCount) = (0, 0)
    for place in text.indices {
      for byte: UInt8 in [0, 0x0A, 0x22, 0x2A, 0x7F, 0xC3, 0xFF] {
        var damaged = text
        damaged[place] = byte
        read(damaged)
      }
    }
    #expect(readCount > 0 && refusedCount > 0)
    #expect(throws: WeighbridgeError.self) { try JSONValue(yaml: [0xFF, 0xFE, 0x00]) }
  }
}
