package import FlatBuffers

/// A tensor of a TFLite model.
package struct TFLiteTensor: Hashable, Sendable {
  package let name: String
  package let type: TFLiteElementType
  /// Its sizes; `nil` where a size is dynamic.
  package let shape: [Int?]
  /// The position of its elements in the model's data; `nil` for a computed tensor.
  package let data: Int?

  package init(name: String, type: TFLiteElementType, shape: [Int?], data: Int?) {
    (self.name, self.type, self.shape, self.data) = (name, type, shape, data)
  }
}

/// A version of an operator.
package struct TFLiteOperatorCode: Hashable, Sendable {
  package let builtin: TFLiteBuiltin
  package let version: Int

  package init(_ builtin: TFLiteBuiltin, version: Int) {
    (self.builtin, self.version) = (builtin, version)
  }
}

/// An operator of a TFLite model.
package struct TFLiteOperator: Hashable, Sendable {
  package let code: TFLiteOperatorCode
  /// The positions of its inputs among the tensors; -1 for one that is absent.
  package let inputs: [Int]
  /// The positions of its outputs among the tensors.
  package let outputs: [Int]
  package let options: TFLiteBuiltinOptions?

  package init(
    _ code: TFLiteOperatorCode, inputs: [Int], outputs: [Int], options: TFLiteBuiltinOptions?
  ) {
    (self.code, self.inputs, self.outputs, self.options) = (code, inputs, outputs, options)
  }
}

/// An input or output of a TFLite model, under its name in the signature.
package struct TFLitePort: Hashable, Sendable {
  package let name: String
  /// The position of its tensor.
  package let tensor: Int

  package init(name: String, tensor: Int) { (self.name, self.tensor) = (name, tensor) }
}

/// A TFLite model with one graph, without the elements of its weights.
package struct TFLiteModel: Sendable {
  /// The identifier of the files.
  package static let identifier = "TFL3"

  package let tensors: [TFLiteTensor]
  package let operators: [TFLiteOperator]
  package let inputs: [TFLitePort]
  package let outputs: [TFLitePort]
  package let description: String
  /// The sizes of the weights in bytes.
  package let dataByteCounts: [Int]

  package init(
    tensors: [TFLiteTensor], operators: [TFLiteOperator], inputs: [TFLitePort],
    outputs: [TFLitePort], description: String, dataByteCounts: [Int]
  ) {
    (self.tensors, self.operators, self.inputs) = (tensors, operators, inputs)
    (self.outputs, self.description, self.dataByteCounts) = (outputs, description, dataByteCounts)
  }

  /// The oldest version of the runtime that has all operators.
  package var minimumRuntimeVersion: String {
    let versions = operators.map { TFLiteRuntimeVersions.first(of: $0.code) }
    return versions.max { $0.lexicographicallyPrecedes($1) }?.map(String.init)
      .joined(separator: ".") ?? "1.5.0"
  }
}

extension TFLiteModel {
  /// The oldest runtime as the bytes of its metadata: 16, filled up with zeros.
  package var runtimeVersionBytes: [UInt8] {
    let bytes = Array(minimumRuntimeVersion.utf8.prefix(16))
    return bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
  }

  /// The model as the tables of the schema. The data that follows is that of the weights, and then
  /// ``runtimeVersionBytes``.
  package var root: FlatBufferTable {
    var codes: [TFLiteOperatorCode] = []
    var positions: [TFLiteOperatorCode: Int] = [:]
    for code in operators.map(\.code) where positions[code] == nil {
      positions[code] = codes.count
      codes.append(code)
    }
    let graph = FlatBufferTable([
      0: .tables(tensors.map(\.table)), 1: .ints(inputs.map(\.tensor)),
      2: .ints(outputs.map(\.tensor)),
      3: .tables(operators.map { $0.table(position: positions[$0.code] ?? 0) }),
      4: .string("main"),
    ])
    let data = (dataByteCounts + [runtimeVersionBytes.count]).map { count in
      FlatBufferTable(count == 0 ? [:] : [0: .data(byteCount: count)])
    }
    let signature = FlatBufferTable([
      0: .tables(inputs.map(\.table)), 1: .tables(outputs.map(\.table)),
      2: .string("serving_default"), 4: .int(0),
    ])
    let metadata = FlatBufferTable([
      0: .string("min_runtime_version"), 1: .int(dataByteCounts.count + 1),
    ])
    return FlatBufferTable([
      0: .int(3), 1: .tables(codes.map(\.table)), 2: .tables([graph]), 3: .string(description),
      // The first buffer is that of all tensors without elements.
      4: .tables([FlatBufferTable()] + data), 6: .tables([metadata]), 7: .tables([signature]),
    ])
  }
}

extension TFLiteTensor {
  fileprivate var table: FlatBufferTable {
    var table = FlatBufferTable([
      0: .ints(shape.map { $0 ?? 1 }), 1: .byte(type.rawValue), 2: .int(data.map { $0 + 1 } ?? 0),
      3: .string(name), 8: .bool(true),
    ])
    if shape.contains(nil) { table.fields[7] = .ints(shape.map { $0 ?? -1 }) }
    return table
  }
}

extension TFLiteOperatorCode {
  /// The code is stored a second time for runtimes that have one byte for it.
  fileprivate var table: FlatBufferTable {
    FlatBufferTable([
      0: .byte(min(builtin.rawValue, 127)), 2: .int(version), 3: .int(builtin.rawValue),
    ])
  }
}

extension TFLiteOperator {
  fileprivate func table(position: Int) -> FlatBufferTable {
    var table = FlatBufferTable([0: .int(position), 1: .ints(inputs), 2: .ints(outputs)])
    if let options {
      table.fields[3] = .byte(options.type)
      table.fields[4] = .table(options.table)
    }
    return table
  }
}

extension TFLitePort {
  fileprivate var table: FlatBufferTable {
    FlatBufferTable([0: .string(name), 1: .int(tensor)])
  }
}
