package import Bytes
package import GraphIR

extension OperatorExample {
  /// A graph of this operator alone, with its weights as constants: a layer called `layer` of the
  /// class `Layer`, with the names `input_0`, `weight_1`, `output_0` and so on by position.
  ///
  /// - Parameter input: Adds what gives a data input its value, from a name and the example's
  ///   tensor; by default an input of the graph.
  package func graph(
    input: (inout GraphBuilder, String, Tensor) throws(WeighbridgeError) -> ValueID = {
      (builder, name, tensor) throws(WeighbridgeError) in
      try builder.addInput(name, tensor.type)
    }
  ) throws(WeighbridgeError) -> Graph {
    var builder = GraphBuilder()
    var values: [ValueID] = []
    for (position, tensor) in inputs.enumerated() {
      values.append(
        dataPositions.contains(position)
          ? try input(&builder, "input_\(position)", tensor)
          : try builder.addWeight("weight_\(position)", tensor))
    }
    let outputs = try builder.addNode(
      operation, named: "operation", inputs: values,
      source: SourceScope(layer: "layer", className: "Layer"))
    return try builder.finish(
      outputs: outputs.enumerated().map { Port(name: "output_\($0)", value: $1) })
  }

  /// The same example with floating-point numbers of another type, if the operator takes them.
  package func converted(to type: ElementType) -> OperatorExample {
    let example = OperatorExample(
      operation,
      inputs: inputs.map { $0.elementType.isFloat ? $0.converted(to: type) : $0 })
    return (try? operation.outputTypes(of: example.types)) == nil ? self : example
  }
}
