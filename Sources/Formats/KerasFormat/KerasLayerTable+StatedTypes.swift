import Bytes
import JSON

extension KerasLayerTable {
  /// The types that Keras 3 writes with each tensor that a layer reads. Malformed ones are left
  /// out: the types are only used where nothing else determines them.
  func statedTypes() -> [KerasTensorReference: KerasStatedType] {
    var types: [KerasTensorReference: KerasStatedType] = [:]
    for builder in builders {
      // The nesting depth is bounded by the JSON parser.
      var pending = [builder.nodes?.value ?? .null]
      while let value = pending.popLast() {
        if let list = value.array {
          pending += list
        } else if let object = value.object {
          if let (reference, type) = statedType(object) {
            types[reference] = type
          } else {
            pending += object.keys.compactMap { object[$0] }
          }
        }
      }
    }
    return types
  }

  private func statedType(
    _ object: JSONObject
  ) -> (KerasTensorReference, KerasStatedType)? {
    guard object["class_name"] == "__keras_tensor__", let config = object["config"]?.object,
      let dimensions = config["shape"]?.array, let dtype = config["dtype"]?.string,
      let history = config["keras_history"]?.array, history.count == 3,
      let layer = history[0].string, let call = history[1].integer, call >= 0,
      let tensor = history[2].integer,
      dimensions.allSatisfy({ $0 == .null || ($0.integer ?? -1) >= 0 })
    else { return nil }
    let unresolved = KerasTensorReference(layer: layer, call: call, tensor: tensor)
    guard let reference = try? resolved(unresolved, firstCalls) else { return nil }
    return (reference, KerasStatedType(shape: dimensions.map(\.integer), dtype: dtype))
  }
}
