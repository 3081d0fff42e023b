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
      let indices = try builder.add(builder.longIndices(1), as: builder[1].type)
      let size: PythonExpression = "\(builder[0]).shape[\(operation.axis)]"
      let positions: PythonExpression =
        "torch.where(\(indices) < 0, \(indices) + \(size), \(indices))"
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
    let indices = try add(longIndices(1), as: self[1].type)
    let size: PythonExpression = "\(self[0]).shape[\(axis)]"
    let positions = try add(
      "torch.where(\(indices) < 0, \(indices) + \(size), \(indices))", as: self[1].type)
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
