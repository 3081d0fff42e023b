import Bytes
import JSON
import KerasFormat
import Testing

@Suite("Keras models in JSON")
struct ModelRecordTests {
  private func reference(_ layer: String, _ call: Int = 0, _ tensor: Int = 0)
    -> KerasTensorReference
  {
    KerasTensorReference(layer: layer, call: call, tensor: tensor)
  }

  @Test("A functional model gives its layers, calls, inputs and outputs")
  func functionalModel() throws {
    let record = try model(functional(dense("y", #"[[["x", 0, 0, {"training": false}]]]"#)))
    #expect(record.className == "Model")
    #expect(record.name == "net")
    #expect(!record.isSequential)
    #expect(record.layers.map(\.name) == ["x", "y"])
    #expect(record.layers[0].calls == [KerasCall(inputs: [])])
    #expect(record.layers[1].calls.map(\.inputs) == [[reference("x")]])
    #expect(record.layers[1].calls[0].arguments == ["training": false])
    #expect(record.layers[1].label == "#1 y (Dense)")
    #expect(record.inputs == [reference("x")])
    #expect(record.outputs == [reference("y")])
  }

  @Test("input_layers and output_layers may be one flat reference")
  func flatReferences() throws {
    let text = functional(
      dense("y", #"[[["x", 0, 0]]]"#), inputs: #"["x", 0, 0]"#, outputs: #"["y", 0, 0]"#)
    let record = try model(text)
    #expect(record.inputs == [reference("x")])
    #expect(record.outputs == [reference("y")])
  }

  @Test("Calls are ordered after the calls they depend on, whatever the order of the layers")
  func order() throws {
    let text = functional(
      dense("y", #"[[["b", 0, 0], ["a", 0, 0]]]"#) + "," + dense("b", #"[[["a", 0, 0]]]"#) + ","
        + dense("a", #"[[["x", 0, 0]]]"#))
    let record = try model(text)
    let names = record.callOrder.map { record.layers[$0.layer].name }
    #expect(names == ["x", "a", "b", "y"])
  }

  @Test("A shared layer may be called again on the output of its first call")
  func sharedLayer() throws {
    let text = functional(
      dense("y", #"[[["x", 0, 0]], [["b", 0, 0]]]"#) + "," + dense("b", #"[[["y", 0, 0]]]"#),
      outputs: #"[["y", 1, 0]]"#)
    let record = try model(text)
    let calls = record.callOrder.map { "\(record.layers[$0.layer].name)\($0.call)" }
    #expect(calls == ["x0", "y0", "b0", "y1"])
  }

  @Test("Calls of a nested model are counted from 0, though Keras counts them from 1")
  func nestedCalls() throws {
    let inner = functional(dense("y", #"[[["x", 0, 0]]]"#))
    let nested =
      inner.dropLast() + #", "name": "net", "inbound_nodes": [[["x",0,0]], [["x",0,0]]]}"#
    let text = functional(
      nested + "," + dense("y", #"[[["net", 1, 0]], [["net", 2, 0]]]"#), outputs: #"["y", 1, 0]"#)
    let record = try model(text)
    #expect(record.layers[1].isModel)
    #expect(record.layers[2].calls.map(\.inputs) == [[reference("net", 0)], [reference("net", 1)]])
    let innerRecord = try KerasModelRecord(nestedIn: record.layers[1])
    #expect(innerRecord.layers.map(\.name) == ["x", "y"])
    expectFailure(.malformed, "refers to call 3 of the layer \"net\", which has 2, counted from 1")
    {
      _ = try model(text.replacing("\"net\", 2", with: "\"net\", 3"))
    }
  }

  @Test("Tensors among a call's arguments are distinguished from plain values by their form")
  func tensorArguments() throws {
    let keywords = #"{"value": ["v", 0, 1], "state": [["x", 0, 0], ["v", 0, 0]], "size": [1, 2]}"#
    let text = functional(
      dense("y", #"[[["x", 0, 0, \#(keywords)]]]"#) + "," + dense("v", #"[[["x", 0, 0, {}]]]"#))
    let call = try model(text).layers[1].calls[0]
    #expect(call.arguments == ["size": [1, 2]])
    #expect(call.tensorArguments.map(\.name) == ["value", "state"])
    #expect(
      call.allInputs == [reference("x"), reference("v", 0, 1), reference("x"), reference("v")])
    #expect(try model(text).callOrder.map(\.layer) == [0, 2, 1])
  }

  @Test("Of an argument that is tensors and nulls, each tensor is an argument by its place")
  func partOfAList() throws {
    let keywords = #"{"mask": [null, ["v", 0, 0]], "other": [null]}"#
    let text = functional(
      dense("y", #"[[["x", 0, 0, \#(keywords)]]]"#) + "," + dense("v", #"[[["x", 0, 0, {}]]]"#))
    let call = try model(text).layers[1].calls[0]
    #expect(call.tensorArguments.map(\.name) == ["mask[1]"])
    #expect(call.allInputs == [reference("x"), reference("v")])
    #expect(call.arguments == ["other": [.null]])
  }

  @Test("A node may be one reference without a list, as operations on tensors have it")
  func bareNode() throws {
    let record = try model(functional(dense("y", #"[["x", 0, 0, {"y": 3}]]"#)))
    #expect(record.layers[1].calls.map(\.inputs) == [[reference("x")]])
    #expect(record.layers[1].calls[0].arguments == ["y": 3])
  }

  @Test("The layer inside a wrapper is read like any other, also when it is a model")
  func wrappedLayer() throws {
    let text = #"""
      {"layer": {"class_name": "Dense", "config": {"name": "d", "units": 2}, "module": "m"},
      "model": {"class_name": "Sequential", "config": [{"class_name": "D", "config": {"name": "e"}}]},
      "backward_layer": null, "cell": 3}
      """#
    let config = try #require(JSONValue(parsing: Array(text.utf8)).object)
    let wrapper = KerasLayerRecord(index: 4, name: "w", className: "Bidirectional", config: config)
    let inner = try #require(try wrapper.inner("layer"))
    #expect(inner.label == "#4 d (Dense)")
    #expect(inner.config["units"] == 2)
    let model = try #require(try wrapper.inner("model"))
    #expect(model.isModel)
    #expect(try KerasModelRecord(nestedIn: model).layers.map(\.name) == ["e"])
    #expect(try wrapper.inner("backward_layer") == nil)
    #expect(try wrapper.inner("absent") == nil)
    expectFailure(.malformed, "layer #4 w (Bidirectional): config.cell is a number, not an object")
    {
      _ = try wrapper.inner("cell")
    }
  }

  @Test("Keys that Keras 2.13 and later add to a layer are understood")
  func laterKeys() throws {
    let also = #", "module": "m", "registered_name": "p>C", "build_config": {"input_shape": [2]}"#
    let record = try model(functional(dense("y", #"[[["x", 0, 0, {}]]]"#, also: also)))
    #expect(record.layers[1].registeredName == "p>C")
  }
}

@Suite("Sequential models in JSON")
struct SequentialTests {
  private let layers = #"""
    [{"class_name": "Dense", "config": {"name": "a", "batch_input_shape": [null, 3]}},
    {"class_name": "Dense", "config": {"name": "b"}}]
    """#

  @Test("Both shapes of the settings give the same chain")
  func chain() throws {
    let list = try model(#"{"class_name": "Sequential", "config": \#(layers)}"#)
    let dictionary = try model(
      #"{"class_name": "Sequential", "config": {"name": "s", "layers": \#(layers)}}"#)
    #expect(list.layers == dictionary.layers)
    #expect(list.name == nil)
    #expect(dictionary.name == "s")
    #expect(list.isSequential && dictionary.isSequential)
    #expect(list.layers.map { $0.calls.map { $0.inputs.map(\.layer) } } == [[[]], [["a"]]])
    #expect(list.inputs == [])
    #expect(list.outputs == [KerasTensorReference(layer: "b")])
    #expect(list.callOrder.map(\.layer) == [0, 1])
  }

  @Test("An InputLayer at the front is the input, and build_input_shape is kept")
  func inputLayer() throws {
    let record = try model(
      #"""
      {"class_name": "Sequential", "config": {"name": "s", "build_input_shape": [null, 2],
      "layers": [{"class_name": "InputLayer", "config": {"name": "i"}},
      {"class_name": "Dense", "config": {"name": "d"}}]}}
      """#)
    #expect(record.inputs == [KerasTensorReference(layer: "i")])
    #expect(record.buildInputShape == [.null, 2])
  }

  @Test("A nested Sequential without a name gets the one of its weights, or a default")
  func nameless() throws {
    let text =
      #"{"class_name": "Sequential", "config": [{"class_name": "Sequential", "config": \#(layers)}]}"#
    #expect(try model(text, layerNames: ["tower"]).layers[0].name == "tower")
    #expect(try model(text).layers[0].name == "sequential_1")
    let inner = try KerasModelRecord(nestedIn: model(text).layers[0])
    #expect(inner.layers.map(\.name) == ["a", "b"])
  }

  @Test("A Sequential without layers is refused")
  func empty() {
    expectFailure(.malformed, "without layers") {
      _ = try model(#"{"class_name": "Sequential", "config": []}"#)
    }
  }
}
