package import Bytes
package import FlatBuffers

/// How integers stand for numbers: each for `(q - zeroPoint) * scale`.
package struct TFLiteQuantization: Hashable, Sendable {
  /// One, or one for each index of the axis.
  package let scales: [Float]
  /// As many as the scales.
  package let zeroPoints: [Int]
  /// The axis whose indices each have a scale; 0 if there is one scale.
  package let axis: Int

  package init(scales: [Float], zeroPoints: [Int], axis: Int) {
    (self.scales, self.zeroPoints, self.axis) = (scales, zeroPoints, axis)
  }

  /// Whether each index of an axis has a scale.
  package var isPerChannel: Bool { scales.count > 1 }

  fileprivate var table: FlatBufferTable {
    FlatBufferTable([
      2: .floats(scales), 3: .integers(zeroPoints, byteCount: 8), 6: .int(axis),
    ])
  }
}

/// A tensor of a TFLite model.
package struct TFLiteTensor: Hashable, Sendable {
  package let name: String
  package let type: ElementType
  /// Its sizes; `nil` where a size is dynamic.
  package let shape: [Int?]
  /// The position of its elements in the model's data; `nil` for a computed tensor.
  package let data: Int?
  /// What its integers stand for.
  package var quantization: TFLiteQuantization?
  /// Whether it keeps its elements from one operator to the next, and begins with zeros.
  package var isVariable = false

  package init(name: String, type: ElementType, shape: [Int?], data: Int?) {
    (self.name, self.type, self.shape, self.data) = (name, type, shape, data)
  }
}

/// A version of an operator.
package struct TFLiteOperatorCode: Hashable, Sendable {
  package let builtin: TFLiteBuiltin
  package let version: Int
  /// The name of a custom operator.
  package let customName: String?

  package init(_ builtin: TFLiteBuiltin, version: Int, customName: String? = nil) {
    (self.builtin, self.version, self.customName) = (builtin, version, customName)
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

/// Bytes under a name.
package struct TFLiteEntry: Hashable, Sendable {
  package let name: String
  package let bytes: [UInt8]

  package init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
}

/// A graph of a TFLite model: the model itself, or the condition or body of a loop.
package struct TFLiteGraph: Hashable, Sendable {
  package let name: String
  package let tensors: [TFLiteTensor]
  package let operators: [TFLiteOperator]
  /// The positions of the inputs and outputs among the tensors.
  package let inputs, outputs: [Int]

  package init(
    name: String, tensors: [TFLiteTensor], operators: [TFLiteOperator], inputs: [Int],
    outputs: [Int]
  ) {
    (self.name, self.tensors, self.operators) = (name, tensors, operators)
    (self.inputs, self.outputs) = (inputs, outputs)
  }
}

/// A TFLite model, without the elements of its weights.
package struct TFLiteModel: Sendable {
  /// The identifier of the files.
  package static let identifier = "TFL3"

  /// The graphs; the first is the model.
  package let graphs: [TFLiteGraph]
  /// The inputs and outputs of the first graph.
  package let inputs, outputs: [TFLitePort]
  package let description: String
  /// The sizes of the weights in bytes.
  package let dataByteCounts: [Int]
  /// What is known about the model beside its computation, by name.
  package var entries: [TFLiteEntry] = []
  /// Files after the model, by name.
  package var files: [TFLiteEntry] = []

  package init(
    graphs: [TFLiteGraph], inputs: [TFLitePort], outputs: [TFLitePort], description: String,
    dataByteCounts: [Int]
  ) {
    (self.graphs, self.inputs, self.outputs) = (graphs, inputs, outputs)
    (self.description, self.dataByteCounts) = (description, dataByteCounts)
  }

  /// The oldest version of the runtime that has all operators.
  package var minimumRuntimeVersion: String {
    let versions = graphs.flatMap(\.operators).compactMap {
      TFLiteRuntimeVersions.first(of: $0.code)
    }
    let newest = versions.max { $0.lexicographicallyPrecedes($1) } ?? [1, 5, 0]
    return newest.map(String.init).joined(separator: ".")
  }
}

extension TFLiteModel {
  /// The name of the entry with the oldest runtime.
  package static let runtimeEntryName = "min_runtime_version"

  /// All entries; first the oldest runtime, in 16 bytes that are filled up with zeros.
  var allEntries: [TFLiteEntry] {
    let version = Array(minimumRuntimeVersion.utf8.prefix(16))
    let zeros = [UInt8](repeating: 0, count: 16 - version.count)
    return [TFLiteEntry(Self.runtimeEntryName, version + zeros)] + entries
  }

  /// The model as the tables of the schema. The data that follows is that of the weights, and then
  /// of ``allEntries``.
  package var root: FlatBufferTable {
    var codes: [TFLiteOperatorCode] = []
    var positions: [TFLiteOperatorCode: Int] = [:]
    for code in graphs.flatMap(\.operators).map(\.code) where positions[code] == nil {
      positions[code] = codes.count
      codes.append(code)
    }
    let entries = allEntries
    let data = (dataByteCounts + entries.map(\.bytes.count)).map { count in
      FlatBufferTable(count == 0 ? [:] : [0: .data(byteCount: count)])
    }
    let signature = FlatBufferTable([
      0: .tables(inputs.map(\.table)), 1: .tables(outputs.map(\.table)),
      2: .string("serving_default"), 4: .int(0),
    ])
    let metadata = entries.enumerated().map { position, entry in
      FlatBufferTable([0: .string(entry.name), 1: .int(dataByteCounts.count + 1 + position)])
    }
    return FlatBufferTable([
      0: .int(3), 1: .tables(codes.map(\.table)), 2: .tables(graphs.map { $0.table(positions) }),
      3: .string(description),
      // The first buffer is that of all tensors without elements.
      4: .tables([FlatBufferTable()] + data), 6: .tables(metadata), 7: .tables([signature]),
    ])
  }
}

extension TFLiteGraph {
  /// - Parameter codes: The positions of the versions of operators.
  fileprivate func table(_ codes: [TFLiteOperatorCode: Int]) -> FlatBufferTable {
    FlatBufferTable([
      0: .tables(tensors.map(\.table)), 1: .ints(inputs), 2: .ints(outputs),
      3: .tables(operators.map { $0.table(position: codes[$0.code] ?? 0) }), 4: .string(name),
    ])
  }
}

extension TFLiteTensor {
  fileprivate var table: FlatBufferTable {
    var table = FlatBufferTable([
      0: .ints(shape.map { $0 ?? 1 }), 1: .byte(type.tfliteNumber),
      2: .int(data.map { $0 + 1 } ?? 0),
      3: .string(name), 8: .bool(true),
    ])
    if isVariable { table.fields[5] = .bool(true) }
    if let quantization { table.fields[4] = .table(quantization.table) }
    if shape.contains(nil) { table.fields[7] = .ints(shape.map { $0 ?? -1 }) }
    return table
  }
}

extension TFLiteOperatorCode {
  /// The code is stored a second time for runtimes that have one byte for it.
  fileprivate var table: FlatBufferTable {
    var table = FlatBufferTable([
      0: .byte(min(builtin.rawValue, 127)), 2: .int(version), 3: .int(builtin.rawValue),
    ])
    if let customName { table.fields[1] = .string(customName) }
    return table
  }
}

extension TFLiteOperator {
  fileprivate func table(position: Int) -> FlatBufferTable {
    var table = FlatBufferTable([0: .int(position), 1: .ints(inputs), 2: .ints(outputs)])
    if let custom = options?.custom {
      table.fields[5] = .integers(custom.settings.bytes.map(Int.init), byteCount: 1)
    } else if let options {
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
