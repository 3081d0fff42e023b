package import Bytes
package import FlatBuffers

/// A TFLite file whose tables have been read. The elements of tensors stay in the mapped file.
package struct TFLiteFile: Sendable {
  /// The file.
  package let store: ByteStore
  /// What the writer says about the model; often the name of the converter.
  package let description: String
  /// The kinds of operators.
  package let codes: [Code]
  /// The graphs; the first one is the model, and operators such as `WHILE` run the others.
  package let graphs: [Graph]
  /// The bytes of the buffers; `nil` for one without any.
  package let buffers: [Range<Int>?]
  /// Named buffers.
  package let metadata: [(name: String, buffer: Int)]
  /// The ways to run the model, by which its inputs and outputs have names.
  package let signatures: [Signature]
  /// The end of the FlatBuffer, after which an archive may follow.
  package let end: Int

  /// A kind of operator.
  package struct Code: Hashable, Sendable {
    /// Its name in the schema, or that of a custom operator.
    package let name: String
    /// Whether the runtime does not have it, but a library that the application adds.
    package let isCustom: Bool
    package let version: Int
  }

  /// Tensors and the operators that compute them.
  package struct Graph: Sendable {
    package let name: String
    package let tensors: [Tensor]
    /// The positions of the inputs among the tensors.
    package let inputs: [Int]
    package let outputs: [Int]
    /// In an order in which they can run.
    package let operators: [Operator]
  }

  /// A tensor of a graph.
  package struct Tensor: Hashable, Sendable {
    package let name: String
    /// The number of its element type in the schema.
    package let type: Int
    /// Its sizes; `nil` where one is only known when the model runs.
    package let shape: [Int?]
    package let buffer: Int
    /// `nil` where its elements stand for themselves.
    package let quantization: TFLiteQuantization?
    /// Whether operators change its elements from run to run.
    package let isVariable: Bool
    /// Whether only some of the elements are stored.
    package let isSparse: Bool
  }

  /// An operator of a graph.
  package struct Operator: Sendable {
    package let code: Code
    /// The positions of its inputs among the tensors; -1 for one that is absent.
    package let inputs: [Int]
    package let outputs: [Int]
    /// The number of its options in the union `BuiltinOptions`; 0 for none. Those of the union
    /// `BuiltinOptions2` are counted from ``secondUnion`` on.
    package let optionsType: Int
    package let options: FlatBufferView?
    /// What is added to numbers of the union `BuiltinOptions2`.
    package static let secondUnion = 256
    /// The options of a custom operator.
    package let customOptions: Range<Int>?
  }

  /// A way to run the model.
  package struct Signature: Sendable {
    package let key: String
    package let graph: Int
    package let inputs: [(name: String, tensor: Int)]
    package let outputs: [(name: String, tensor: Int)]
  }

  /// Whether bytes begin like a TFLite file.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    FlatBufferReader.recognizes(bytes, identifier: TFLiteModel.identifier)
  }
}
