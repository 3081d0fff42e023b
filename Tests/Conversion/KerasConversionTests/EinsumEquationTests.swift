import Bytes
import GraphIR
import JSON
import LayerCatalog
import Testing

@testable import KerasConversion

@Suite struct EinsumEquationTests {
  @Test("An ellipsis stands for the axes that are left")
  func ellipsis() throws {
    let front = try #require(EinsumEquation("...x,xy->...y", rank: 4))
    #expect(front.elided == (3, 0) && front.input.count == 4 && front.output.count == 4)
    let back = try #require(EinsumEquation("ab...,bc->ac...", rank: 4))
    #expect(back.elided == (0, 2) && back.input.prefix(2) == ["a", "b"])
    let none = try #require(EinsumEquation("...ab,bc->...ac", rank: 2))
    #expect(none.elided == (0, 0) && none.input == ["a", "b"])
  }

  @Test(
    "Equations that Keras does not accept are refused",
    arguments: [
      "", "ab", "ab,bc", "ab,bc->", "ab,bc,cd->ad", "a...b,bc->ac", "...ab,bc->ac",
      "...ab...,bc->...ac...", "ab,...bc->ac", "a b,bc->ac", "abc,bc->ac", "a1,1c->ac",
    ])
  func refused(_ text: String) {
    #expect(EinsumEquation(text, rank: 2) == nil)
  }

  @Test("An axis that occurs twice is refused", arguments: ["aa,ab->b", "ab,bcc->ac", "ab,bc->cc"])
  func repeated(_ text: String) throws {
    let equation = try #require(EinsumEquation(text, rank: 2))
    let error = #expect(throws: WeighbridgeError.self) { _ = try equation.labels() }
    #expect(error?.code == .unsupported && error?.reason.contains("occurs twice") == true)
  }

  @Test("An output shape that does not fit is refused")
  func outputShape() throws {
    let equation = try #require(EinsumEquation("abc,cd->abd", rank: 3))
    let type = TensorType(.float32, [.symbolic("batch"), 4, 5])
    let dimensions = try equation.dimensions(input: type, output: [.null, 7])
    #expect(dimensions == ["b": 4, "c": 5, "d": 7])
    let refused: [(shape: [JSONValue], phrase: String)] = [
      ([7], "has 1 axis, and 2 are expected"), ([3, 7], "has 3, which does not fit"),
      ([4, 0], "has 0, which does not fit"), ([4, "x"], "has \"x\", which does not fit"),
    ]
    for (shape, phrase) in refused {
      let error = #expect(throws: WeighbridgeError.self) {
        try equation.dimensions(input: type, output: shape)
      }
      #expect(error?.code == .malformed)
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }
}
