import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Elements by their positions, and sorting.
enum PyTorchIndexing {
  static let rows: [PyTorchRow] = [
    PyTorchRow(expression: Gather.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.batchAxes == 0 else { return try builder.gatheredInBatches(operation) }
      let colons = String(repeating: ":, ", count: operation.axis)
      if let tensor = builder[1].constant, tensor.shape.isEmpty {
        return "\(builder[0])[\(colons)\(Int(tensor.wrappedIntegers[0]))]"
      }
      return "\(builder[0])[\(colons)\(builder.longIndices(1))]"
    },
    PyTorchRow(expression: GatherElements.self) { (operation, builder) throws(WeighbridgeError) in
      let positions = try builder.positions(
        builder.longIndices(1), "\(builder[0]).shape[\(operation.axis)]", like: builder.type(1))
      return "torch.gather(\(builder[0]), \(operation.axis), \(positions))"
    },
    PyTorchRow(outputsOf: Sort.self) { (operation, builder) throws(WeighbridgeError) in
      let descending = operation.isDescending ? ", descending=True" : ""
      let types = builder.scope.outputTypes
      let sorted = try builder.add(
        values: "torch.sort(\(builder[0]), dim=\(operation.axis)\(descending), stable=True)",
        types: types)
      let results = zip(sorted, types).map { builder.value($0, $1) }
      let range = operation.count.map { ".narrow(\(operation.axis), 0, \($0))" } ?? ""
      let values = try builder.add("\(results[0])\(range)", as: types[0])
      let positions = try builder.add("\(results[1])\(range).int()", as: types[1])
      return [values.name, positions.name]
    },
  ]
}

extension PyTorchBuilder {
  /// Positions on an axis of a size, of indices of which those below 0 count from the end.
  mutating func positions(
    _ indices: PythonExpression, _ size: PythonExpression, like type: TensorType
  ) throws(WeighbridgeError) -> PythonExpression {
    let value = try add(indices, as: type)
    return "torch.where(\(value) < 0, \(value) + \(size), \(value))"
  }

  /// Elements by positions that differ from example to example.
  fileprivate mutating func gatheredInBatches(
    _ operation: Gather
  ) throws(WeighbridgeError) -> PythonExpression {
    let (axis, batchAxes) = (operation.axis, operation.batchAxes)
    guard self[1].type.rank == batchAxes + 1 else {
      throw .unsupported(
        "takes positions of \(self[1].type.rank - batchAxes) axes in each example, and PyTorch takes "
          + "one")
    }
    let positions = try add(
      try self.positions(longIndices(1), "\(self[0]).shape[\(axis)]", like: self[1].type),
      as: self[1].type)
    let axes =
      [String](repeating: ":", count: batchAxes)
      + [String](repeating: "None", count: axis - batchAxes) + [":"]
      + [String](repeating: "None", count: type().rank - 1 - axis)
    let subscripts = axes.joined(separator: ", ")
    return "torch.take_along_dim(\(self[0]), \(positions)[\(subscripts)], \(axis))"
  }

  /// An input as the integers of 64 bits that subscripts take.
  fileprivate func longIndices(_ position: Int) -> PythonExpression {
    self[position].type.elementType == .int64
      ? "\(self[position])" : "\(self[position]).long()"
  }
}
