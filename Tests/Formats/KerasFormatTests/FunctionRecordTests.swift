import Bytes
import JSON
import KerasFormat
import Testing

@Suite("Functions called in a model without a layer")
struct FunctionRecordTests {
  /// The call of the function `f` in a model with the inputs `x` and the layer `a`.
  private func call(_ node: String, _ layer: String = lambda) throws -> KerasCall {
    let function = layer + #", "name": "f", "inbound_nodes": [\#(node)]}"#
    let also = dense("a", #"[[["x", 0, 0, {}]]]"#)
    let record = try model(functional(function + "," + also, outputs: #"["f", 0, 0]"#)).layers[1]
    #expect(record.function != nil)
    return record.calls[0]
  }

  private static let lambda = """
    {"class_name": "TFOpLambda", "config": {"name": "f", "trainable": true, "function": "math.add"}
    """

  private func reference(_ layer: String) -> KerasTensorReference {
    KerasTensorReference(layer: layer)
  }

  @Test("TensorFlow's functions keep the order of tensors and constants")
  func tensorFlow() throws {
    let plain = try call(#"["x", 0, 0, {"y": 1.5, "name": null}]"#)
    #expect(plain.inputs == [reference("x")])
    #expect(plain.operands?.positional == [.tensor(0)])
    #expect(plain.operands?.named == ["y": .value(.real(1.5)), "name": .value(.null)])
    let constantFirst = try call(#"["_CONSTANT_VALUE", -1, [1, 2], {"y": ["a", 0, 0]}]"#)
    #expect(constantFirst.inputs == [reference("a")])
    #expect(constantFirst.operands?.positional == [.value([1, 2])])
    #expect(constantFirst.operands?.named == ["y": .tensor(0)])
    let list = try call(
      #"[["x", 0, 0, {"axis": 1}], [["_CONSTANT_VALUE", -1, 6, {"axis": 1}]], ["a", 0, 0]]"#)
    #expect(list.inputs == [reference("x"), reference("a")])
    #expect(list.operands?.positional == [.list([.tensor(0), .value([6]), .tensor(1)])])
    #expect(list.operands?.named == ["axis": .value(1)])
  }

  @Test("Tensors among numbers are found at any depth")
  func nested() throws {
    let call = try call(
      #"["x", 0, 0, {"shape": [["a", 0, 0], 10], "spec": [{"start": ["x", 0, 0], "stop": null}]}]"#)
    #expect(call.inputs.count == 3)
    let named = try #require(call.operands?.named)
    guard case .list(let shape) = named["shape"], case .tensor(let first) = shape[0] else {
      Issue.record("\(named)")
      return
    }
    #expect(call.inputs[first] == reference("a") && shape[1] == .value(10))
    guard case .list(let spec) = named["spec"], case .dictionary(let range) = spec[0] else {
      Issue.record("\(named)")
      return
    }
    #expect(range["stop"] == .value(.null))
  }

  @Test("Operations of Keras 3 are distinguished from layers of the same class")
  func keras3() throws {
    let tensor = #"{"class_name": "__keras_tensor__", "config": {"keras_history": ["x", 0, 0]}}"#
    let node = #"{"args": [1, \#(tensor)], "kwargs": {"axis": null}}"#
    let module = #"{"module": "keras.src.ops.numpy", "registered_name": "Add", "#
    let rest = #""class_name": "Add", "config": {"name": "f"}"#
    for layer in [module + rest, "{" + rest] {
      let call = try call(node, layer)
      #expect(call.operands?.positional == [.value(1), .tensor(0)])
      #expect(call.operands?.named == ["axis": .value(.null)])
    }
    let layer = #"{"class_name": "Add", "config": {"name": "f", "trainable": true}"#
    let record = try model(
      functional(
        layer + #", "name": "f", "inbound_nodes": [{"args": [\#(tensor)], "kwargs": {}}]}"#,
        outputs: #"["f", 0, 0]"#))
    #expect(record.layers[1].function == nil)
  }

  @Test("A constant is not a reference, and a malformed one is refused")
  func malformed() {
    expectFailure(.malformed, "is a reference") { _ = try call(#"["x", 0]"#) }
    expectFailure(.malformed, "refers to the layer \"q\"") { _ = try call(#"["q", 0, 0, {}]"#) }
    expectFailure(.malformed, "has arguments that differ") {
      _ = try call(#"[["x", 0, 0, {"axis": 1}], ["a", 0, 0, {"axis": 2}]]"#)
    }
  }
}
