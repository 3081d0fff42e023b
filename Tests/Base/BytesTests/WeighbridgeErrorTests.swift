import Bytes
import Testing

/// Errors with their places.
@Suite struct WeighbridgeErrorTests {
  private let error = WeighbridgeError(.malformed, "is wrong")

  @Test("Known parts of an error's place are never replaced; missing ones are added")
  func places() {
    let inner = error.at(.line(3)).at(layer: "#1 a (Dense)")
    let outer = inner.at(.byte(9)).at(file: "a.cfg").at(layer: "other").at(file: "b.cfg")
    #expect(outer.place.position == .line(3))
    #expect(outer.place.file == "a.cfg")
    #expect(outer.place.layer == "#1 a (Dense)")
    #expect(outer.code == .malformed && outer.reason == "is wrong")
    #expect(error.place == WeighbridgeError.Place(), "the error itself stays as it is")
  }

  @Test("The description is the place, then the reason")
  func descriptions() {
    #expect(error.description == "is wrong")
    #expect(error.at(file: "a.h5").description == "a.h5: is wrong")
    #expect(error.at(file: "a.cfg").at(.line(12)).description == "a.cfg:12: is wrong")
    #expect(error.at(file: "a.h5").at(.path("/w")).description == "a.h5:/w: is wrong")
    #expect(error.at(file: "a.wbm").at(.byte(7)).description == "a.wbm: byte 7: is wrong")
    #expect(error.at(.byte(7)).description == "byte 7: is wrong")
    #expect(error.at(layer: "#2 b (B)").description == "layer #2 b (B): is wrong")
    #expect(
      error.at(file: "a.cfg").at(.line(1)).at(layer: "#2 b (B)").description
        == "a.cfg:1: layer #2 b (B): is wrong")
  }

  @Test("Every error code has its own name")
  func codes() {
    let codes: [WeighbridgeError.Code] = [
      .missing, .malformed, .unsupported, .mismatch, .outputFailed, .limitExceeded, .cancelled,
    ]
    #expect(
      codes.map(\.description) == [
        "missing", "malformed", "unsupported", "mismatch", "outputFailed", "limitExceeded",
        "cancelled",
      ])
    #expect(Set(codes).count == codes.count)
  }

  @Test("A place is added to a thrown error, and a result is returned unchanged")
  func located() throws {
    let passed = try locating({ $0.at(file: "a") }) { () throws(WeighbridgeError) in 5 }
    #expect(passed == 5)
    let thrown = #expect(throws: WeighbridgeError.self) {
      try locating({ $0.at(file: "a") }) { () throws(WeighbridgeError) in throw error }
    }
    #expect(thrown == error.at(file: "a"))
  }
}
