import Bytes
import JSON
import KerasFormat
import Testing

@Suite("Wrong Keras models in JSON")
struct ModelErrorTests {
  @Test("A reference to a missing layer is an error that names both layers")
  func references() {
    expectFailure(.malformed, "layer #1 y (Dense): refers to the layer \"z\"") {
      _ = try model(functional(dense("y", #"[[["z", 0, 0]]]"#)))
    }
    expectFailure(.malformed, "refers to call 1 of the layer \"x\", which has 1") {
      _ = try model(functional(dense("y", #"[[["x", 1, 0]]]"#)))
    }
    expectFailure(.malformed, "config.output_layers refers to the layer \"q\"") {
      _ = try model(functional(dense("y", #"[[["x", 0, 0]]]"#), outputs: #"[["q", 0, 0]]"#))
    }
    expectFailure(.malformed, "[0][0][1] is -1, and cannot be negative") {
      _ = try model(functional(dense("y", #"[[["x", -1, 0]]]"#)))
    }
    expectFailure(.malformed, "has 2 parts") {
      _ = try model(functional(dense("y", #"[[["x", 0]]]"#)))
    }
  }

  @Test("Layers that need their own output are refused")
  func cycle() {
    expectFailure(.malformed, "#1 y (Dense): the layer needs its own output") {
      _ = try model(
        functional(dense("y", #"[[["b", 0, 0]]]"#) + "," + dense("b", #"[[["y", 0, 0]]]"#)))
    }
  }

  @Test("Two layers with the same name are refused")
  func sameName() {
    expectFailure(.malformed, "#2 y (Dense): the layer #1 has the name \"y\" too") {
      let twice = dense("y", #"[[["x", 0, 0]]]"#)
      _ = try model(functional(twice + "," + twice))
    }
    expectFailure(.malformed, "but \"b\" in its config") {
      let two = #"{"class_name": "D", "name": "a", "config": {"name": "b"}, "inbound_nodes": []}"#
      _ = try model(functional(two))
    }
  }

  @Test("Keys that are not known are refused by name")
  func unknownKeys() {
    let layer = dense("y", #"[[["x", 0, 0]]]"#)
    expectFailure(.unsupported, "config.layers[1] has \"color\"") {
      _ = try model(functional(dense("y", "[]", also: #", "color": 1"#)))
    }
    expectFailure(.unsupported, "has \"magic\"") {
      _ = try model(functional(layer).dropLast() + #", "magic": 1}"#)
    }
    expectFailure(.unsupported, "config has \"extra\"") {
      _ = try model(functional(layer).replacing("\"name\": \"net\"", with: "\"extra\": 1"))
    }
  }

  @Test("A constant stands among the inputs of a call")
  func constants() throws {
    let nodes = #"[[["x", 0, 0, {}], ["_CONSTANT_VALUE", -1, 2.0, {}]]]"#
    let call = try model(functional(dense("y", nodes))).layers[1].calls[0]
    #expect(call.inputs == [KerasTensorReference(layer: "x")])
    #expect(call.inputConstants == [1: .real(2)])
  }

  @Test("Arguments that differ between tensors are refused")
  func oddNodes() {
    expectFailure(.malformed, "arguments that differ from those of the tensors before it") {
      _ = try model(functional(dense("y", #"[[["x", 0, 0, {"a": 1}], ["x", 0, 0, {}]]]"#)))
    }
  }

  @Test("A model without a list of layers, or that is not an object, is refused")
  func noModel() {
    expectFailure(.unsupported, "of class Tower") {
      _ = try model(#"{"class_name": "Tower", "config": {"depth": 3}}"#)
    }
    expectFailure(.malformed, "is a list, not an object") { _ = try model("[]") }
    expectFailure(.malformed, "has no key \"class_name\"") { _ = try model("{}") }
    expectFailure(.malformed, "config.layers[1].config is a number, not an object") {
      _ = try model(
        functional(#"{"class_name": "D", "name": "y", "config": 1, "inbound_nodes": []}"#))
    }
    expectFailure(.malformed, "#1 y (D): the layer has no inbound_nodes") {
      _ = try model(functional(#"{"class_name": "D", "name": "y", "config": {}}"#))
    }
  }

  @Test("A long chain written backwards is read without recursion")
  func longChain() throws {
    let count = 20_000
    let layers = (1..<count).reversed().map { dense("d\($0)", "[[[\"d\($0 - 1)\", 0, 0]]]") }
    let text = functional(
      layers.joined(separator: ",") + "," + dense("d0", #"[[["x", 0, 0]]]"#),
      outputs: "[\"d\(count - 1)\", 0, 0]")
    #expect(try model(text).callOrder.count == count + 1)
  }
}
