import JSON

extension KerasModelRecord {
  /// The type of 32 bits that JAX has in place of one of 64 bits, unless it is told to have both.
  package static let narrowTypes = [
    "int64": "int32", "uint64": "uint32", "float64": "float32",
  ]

  /// Returns the same model with types of 32 bits wherever it names those of 64 bits, but for its
  /// inputs, which may be given either.
  package func narrowed() -> KerasModelRecord {
    var model = self
    model.layers = layers.map { $0.className == "InputLayer" ? $0 : $0.narrowed() }
    return model
  }
}

extension KerasLayerRecord {
  fileprivate func narrowed() -> KerasLayerRecord {
    KerasLayerRecord(
      index: index, name: name, className: className, function: function,
      registeredName: registeredName, config: config.narrowed(), buildInputShape: buildInputShape,
      calls: calls.map { call in
        KerasCall(
          inputs: call.inputs, inputKeys: call.inputKeys,
          inputConstants: call.inputConstants.mapValues { $0.narrowed() },
          tensorArguments: call.tensorArguments, arguments: call.arguments.narrowed(),
          operands: call.operands?.narrowed())
      })
  }
}

extension KerasOperands {
  fileprivate func narrowed() -> KerasOperands {
    KerasOperands(
      positional: positional.map { $0.narrowed() }, named: named.mapValues { $0.narrowed() })
  }
}

extension KerasOperand {
  fileprivate func narrowed() -> KerasOperand {
    switch self {
    case .tensor: self
    case .value(let value): .value(value.narrowed())
    case .list(let operands): .list(operands.map { $0.narrowed() })
    case .dictionary(let operands): .dictionary(operands.mapValues { $0.narrowed() })
    }
  }
}

extension JSONValue {
  fileprivate func narrowed() -> JSONValue {
    mapStrings { KerasModelRecord.narrowTypes[$0] ?? $0 }
  }
}

extension JSONObject {
  fileprivate func narrowed() -> JSONObject {
    JSONValue.object(self).narrowed().object ?? self
  }
}
