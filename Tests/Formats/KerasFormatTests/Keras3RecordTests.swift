import Bytes
import JSON
import KerasFormat
import Testing

@Suite("Nodes as Keras 3 writes them")
struct Keras3RecordTests {
  private func tensor(_ layer: String, _ call: Int = 0, _ tensor: Int = 0) -> String {
    """
    {"class_name": "__keras_tensor__", "config": {"shape": [null, 3], "dtype": "float32",
    "keras_history": ["\(layer)", \(call), \(tensor)]}}
    """
  }

  private func node(_ arguments: String, _ keywords: String = "{}") -> String {
    #"[{"args": [\#(arguments)], "kwargs": \#(keywords)}]"#
  }

  private func reference(_ layer: String, _ call: Int = 0) -> KerasTensorReference {
    KerasTensorReference(layer: layer, call: call)
  }

  /// The only call of the layer `y`, whose nodes are given.
  private func call(_ node: String) throws -> KerasCall {
    let also = dense("a", self.node(tensor("x"))) + "," + dense("b", self.node(tensor("x")))
    return try model(functional(dense("y", node) + "," + also)).layers[1].calls[0]
  }

  @Test("The first argument holds the inputs, in nested lists and sorted dictionaries too")
  func inputs() throws {
    #expect(try call(node(tensor("a"))).inputs == [reference("a")])
    let nested = "[\(tensor("b")), [\(tensor("a"))]]"
    #expect(try call(node(nested)).inputs == [reference("b"), reference("a")])
    let dictionary = #"{"two": \#(tensor("a")), "one": \#(tensor("b"))}"#
    #expect(try call(node(dictionary)).inputs == [reference("b"), reference("a")])
  }

  @Test("Further tensors are arguments by name or place, everything else is a plain value")
  func arguments() throws {
    let keywords = #"{"mask": \#(tensor("b")), "state": [\#(tensor("a"))], "training": true}"#
    let call = try call(node("\(tensor("a")), \(tensor("b")), 2.5", keywords))
    #expect(call.inputs == [reference("a")])
    #expect(call.tensorArguments.map(\.name) == ["args[1]", "mask", "state"])
    #expect(
      call.tensorArguments.map(\.tensors) == [[reference("b")], [reference("b")], [reference("a")]])
    #expect(call.arguments == ["args[2]": .real(2.5), "training": true])
  }

  @Test("Of a list that is tensors and nulls, each tensor is an argument by its place")
  func partOfAList() throws {
    let call = try call(node(tensor("a"), #"{"mask": [null, \#(tensor("b"))], "other": [null]}"#))
    #expect(call.tensorArguments.map(\.name) == ["mask[1]"])
    #expect(call.tensorArguments.map(\.tensors) == [[reference("b")]])
    #expect(call.arguments == ["other": [.null]])
  }

  @Test("Calls of a nested model count from 1, and from 0 where only an output says so")
  func nestedCalls() throws {
    let inner = functional(dense("y", node(tensor("x"))))
    let layer = inner.dropLast() + #", "name": "net", "inbound_nodes": \#(node(tensor("x")))}"#
    for count in 0...1 {
      let outer = functional(String(layer), outputs: #"["net", \#(count), 0]"#)
      #expect(try model(outer).outputs == [reference("net")])
    }
  }

  @Test("Layers count the calls of a nested model from 0, also where the outputs count from 1")
  func nestedCallsByLayersAndOutputs() throws {
    let inner = functional(dense("y", node(tensor("x"))))
    let nodes = node(tensor("x")).dropLast() + ", " + node(tensor("net")).dropFirst()
    let layer = inner.dropLast() + #", "name": "net", "inbound_nodes": \#(nodes)}"#
    for (call, output) in [(1, 1), (0, 2)] {
      let outer = functional(
        layer + "," + dense("z", node(tensor("net", call))),
        outputs: #"[["z", 0, 0], ["net", \#(output), 0]]"#)
      let record = try model(outer)
      #expect(record.layers[2].calls[0].inputs == [reference("net", call)])
      #expect(record.outputs == [reference("z"), reference("net", output - 1)])
    }
  }

  @Test("Inputs and outputs of a model may be nested lists and dictionaries")
  func structures() throws {
    let layers = dense("y", node(tensor("x"))) + "," + dense("z", node(tensor("x")))
    let outputs = #"{"last": ["y", 0, 0], "first": [["z", 0, 0], [["x", 0, 0]]]}"#
    let record = try model(functional(layers, outputs: outputs))
    #expect(record.outputs == [reference("z"), reference("x"), reference("y")])
  }

  @Test("Nodes of another form are refused with their place")
  func malformed() {
    let place = "#1 y (Dense): config.layers[1].inbound_nodes[0]"
    expectFailure(.unsupported, "\(place) has \"more\"") {
      _ = try call(#"[{"args": [], "kwargs": {}, "more": 1}]"#)
    }
    expectFailure(.malformed, "\(place) has no key \"kwargs\"") { _ = try call(#"[{"args": []}]"#) }
    expectFailure(.unsupported, "\(place).args[0][1] is a number among tensors") {
      _ = try call(node("[\(tensor("a")), 1]"))
    }
    expectFailure(.malformed, "\(place).args[0].config has no key \"keras_history\"") {
      _ = try call(node(#"{"class_name": "__keras_tensor__", "config": {}}"#))
    }
    expectFailure(.malformed, "refers to the layer \"q\", which the model does not have") {
      _ = try call(node(tensor("q")))
    }
  }
}
