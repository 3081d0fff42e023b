import Bytes
import GraphIR
import Testing

/// The attributes of operators as they are stored and read.
@Suite struct AttributeTests {
  private let attributes: Attributes = [
    "count": .integer(3), "rate": .real(0.5), "on": .boolean(true), "mode": .string("b"),
    "axes": .integers([0, 2]), "rates": .reals([1, 2.5]), "names": .strings(["x", ""]),
    "inner.size": .integer(7), "inner.mode": .string("a"),
  ]

  @Test("Each attribute is read once, by its name and type, and then none is left")
  func reading() throws {
    var reader = try AttributeReader(attributes, of: "kind")
    #expect(try reader.integer("count") == 3 && reader.real("rate") == 0.5)
    #expect(try reader.boolean("on") && reader.string("mode") == "b")
    #expect(try reader.integers("axes") == [0, 2] && reader.reals("rates") == [1, 2.5])
    #expect(try reader.strings("names") == ["x", ""])
    #expect(reader.takeAll(under: "inner") == ["mode": .string("a"), "size": .integer(7)])
    #expect(reader.takeAll(under: "inner") == [:])
    try reader.finish()
    let error = #expect(throws: WeighbridgeError.self) { _ = try reader.integer("count") }
    #expect(error?.code == .malformed && error?.reason == "kind: the attribute count is missing")
  }

  @Test("An attribute that was not read is unknown, and the first by name is reported")
  func unread() throws {
    var reader = try AttributeReader(["z": .boolean(true), "b": .integer(1)], of: "kind")
    let error = #expect(throws: WeighbridgeError.self) { try reader.finish() }
    #expect(error?.code == .unsupported && error?.reason == "kind has an unknown attribute b")
    _ = try reader.integer("b")
    let last = #expect(throws: WeighbridgeError.self) { try reader.finish() }
    #expect(last?.code == .unsupported && last?.reason == "kind has an unknown attribute z")
  }

  @Test("A name that occurs twice is refused")
  func duplicates() {
    let duplicated = Attributes([(name: "a", value: .integer(1)), (name: "a", value: .integer(1))])
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try AttributeReader(duplicated, of: "kind")
    }
    #expect(error?.code == .malformed)
  }

  @Test("A value of another type is refused")
  func types() throws {
    for name in ["count", "rate", "on", "mode", "axes", "rates", "names"] {
      let reads: [(inout AttributeReader) throws -> Void] = [
        { _ = try $0.integer(name) }, { _ = try $0.real(name) }, { _ = try $0.boolean(name) },
        { _ = try $0.string(name) }, { _ = try $0.integers(name) }, { _ = try $0.reals(name) },
        { _ = try $0.strings(name) },
      ]
      var acceptedCount = 0
      for read in reads {
        var reader = try AttributeReader(attributes, of: "kind")
        do {
          try read(&reader)
          acceptedCount += 1
        } catch let error as WeighbridgeError {
          #expect(error.code == .malformed && error.reason.contains(name))
        }
      }
      #expect(acceptedCount == 1, "\(name)")
    }
  }

  @Test("Integers are accepted as reals only where that is requested")
  func integersForReals() throws {
    let written: Attributes = ["rate": .integer(2), "rates": .integers([1, 3])]
    var lenient = try AttributeReader(written, of: "kind", acceptsIntegersAsReals: true)
    #expect(try lenient.real("rate") == 2 && lenient.reals("rates") == [1, 3])
    var strict = try AttributeReader(written, of: "kind")
    let one = #expect(throws: WeighbridgeError.self) { _ = try strict.real("rate") }
    #expect(one?.code == .malformed && one?.reason.contains("rate is not a number") == true)
    let list = #expect(throws: WeighbridgeError.self) { _ = try strict.reals("rates") }
    #expect(
      list?.code == .malformed && list?.reason.contains("rates is not a list of numbers") == true)
  }

  @Test("Attributes are equal only in the same order, and rounding applies to all reals")
  func values() {
    let (attributes, reordered): (Attributes, Attributes) = (
      ["a": .integer(1), "b": .real(2)], ["b": .real(2), "a": .integer(1)]
    )
    #expect(attributes != reordered && attributes == ["a": .integer(1), "b": .real(2)])
    let rounded = (["a": .real(0.1), "b": .reals([0.1, 2]), "c": .integer(1)] as Attributes)
      .roundedToFloat
    let tenth = Double(Float(0.1))
    #expect(rounded == ["a": .real(tenth), "b": .reals([tenth, 2]), "c": .integer(1)])
  }
}
