import Bytes
import GraphIR
import JSON

/// Unknown layers that are kept as they are.
extension KerasLayer {
  /// Keeps the layer as it is: all its settings except code, and all its weights.
  ///
  /// - Parameter outputs: The types of its outputs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` where its weights are not known yet.
  mutating func addOpaque(
    _ inputs: [ValueID], outputs: [Opaque.Output]
  ) throws(WeighbridgeError) -> [ValueID] {
    let (settings, hadCode) = Self.withoutCode(.object(takeSettings()))
    decideOnce(
      "is kept as it is, and cannot run" + (hadCode ? "; its Python code is left out" : ""))
    var names: [String] = []
    var weights: [ValueID] = []
    while let name = remainingPaths.first?.name {
      names.append(name)
      weights.append(try nextWeight(name))
    }
    let isLambda = source.className == "Lambda"
    if placeholderLimit != nil, !isLambda { _ = try nextWeight("") }  // says why it cannot
    let operation = Opaque(
      className: source.className, settings: settings.text(), inputCount: inputs.count,
      weightNames: names, outputs: outputs)
    return try network.graph.addNode(operation, inputs: inputs + weights, source: source)
  }

  /// A value without code that Python could execute: compiled functions, which Keras 2 writes as
  /// lists next to `..._type: lambda`, and Keras 3 as objects of the class `__lambda__`.
  private static func withoutCode(_ value: JSONValue) -> (JSONValue, hadCode: Bool) {
    var hadCode = false
    let inner = { (value: JSONValue) in
      let (result, had) = withoutCode(value)
      hadCode = hadCode || had
      return result
    }
    if let list = value.array { return (.array(list.map(inner)), hadCode) }
    guard let object = value.object else { return (value, false) }
    if object["class_name"] == "__lambda__" { return (.null, true) }
    var result = JSONObject()
    for key in object.keys {
      let isCode = object["\(key)_type"] == "lambda"
      hadCode = hadCode || isCode
      result[key] = isCode ? .null : object[key].map(inner)
    }
    return (.object(result), hadCode)
  }
}
