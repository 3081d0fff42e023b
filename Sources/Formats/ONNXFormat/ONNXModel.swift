package import Bytes

/// A whole ONNX file, without the elements of its weights.
///
/// What was read of a file may contain more than what is written: see ``ONNXFile``.
package struct ONNXModel: Sendable {
  /// The version of the format, which determines its fields and rules.
  package var irVersion: Int
  /// The version of ONNX's default operator set.
  package var opset: Int
  /// The name of the program that writes the file.
  package var producerName: String
  /// The version of that program.
  package var producerVersion: String
  /// A description of the model, for human readers.
  package var summary: String?
  /// Other metadata of the model, in this order.
  package var metadata: [(key: String, value: String)]
  /// The model's computation.
  package var graph: ONNXGraph
  /// Whether the file contains functions, operators defined by others; only set for a file that was
  /// read.
  package internal(set) var hasFunctions = false

  /// Makes a model.
  package init(
    irVersion: Int, opset: Int, producerName: String, producerVersion: String, summary: String?,
    metadata: [(key: String, value: String)], graph: ONNXGraph
  ) {
    self.irVersion = irVersion
    self.opset = opset
    self.producerName = producerName
    self.producerVersion = producerVersion
    self.summary = summary
    self.metadata = metadata
    self.graph = graph
  }
}

/// Nodes and constant tensors. In files from other programs, the nodes may be in any order.
package struct ONNXGraph: Sendable {
  /// The graph's name; never empty.
  package var name: String
  /// A description in words.
  package var summary: String?
  /// The operations.
  package var nodes: [ONNXNode]
  /// The constant tensors.
  package var initializers: [ONNXInitializer]
  /// The graph's inputs.
  package var inputs: [ONNXFeature]
  /// The graph's outputs.
  package var outputs: [ONNXFeature]

  /// Makes a graph.
  package init(
    name: String, summary: String? = nil, nodes: [ONNXNode],
    initializers: [ONNXInitializer] = [], inputs: [ONNXFeature], outputs: [ONNXFeature]
  ) {
    self.name = name
    self.summary = summary
    self.nodes = nodes
    self.initializers = initializers
    self.inputs = inputs
    self.outputs = outputs
  }
}

/// An operation on named values.
package struct ONNXNode: Sendable {
  /// The node's name; may be empty in files from other programs.
  package var name: String
  /// The operator set of the operation; empty for ONNX' own.
  package var domain: String
  /// The operator, for example `Conv`.
  package var operation: String
  /// The values it reads; an empty name omits an optional one.
  package var inputs: [String]
  /// The values it computes; an empty name omits one.
  package var outputs: [String]
  /// Its settings, sorted by name.
  package var attributes: [(name: String, value: ONNXAttribute)]

  /// Makes a node.
  package init(
    name: String, domain: String = "", operation: String, inputs: [String], outputs: [String],
    attributes: [(name: String, value: ONNXAttribute)]
  ) {
    self.name = name
    self.domain = domain
    self.operation = operation
    self.inputs = inputs
    self.outputs = outputs
    self.attributes = attributes
  }
}

/// A setting of a node.
package enum ONNXAttribute: Sendable {
  case integer(Int)
  case real(Double)
  case text(String)
  case integers([Int])
  case reals([Double])
  case texts([String])
  /// A subgraph, whose nodes can read the values around it.
  case graph(ONNXGraph)
  /// A tensor; only in files that are read.
  case tensor(ONNXInitializer)
  /// The ONNX name of a type that no supported operator takes; only in files that are read.
  case other(String)
}

/// A constant tensor. Its elements are written by ``ONNXWriter``; in a file that was read,
/// ``elements`` gives their location.
package struct ONNXInitializer: Sendable {
  /// The value's name.
  package var name: String
  /// The type of the elements.
  package var elementType: ElementType
  /// Whether the elements, int8 or uint8, are stored in 4 bits each, two in a byte, the first in
  /// the lower half.
  package var isPacked: Bool
  /// The sizes.
  package var shape: [Int]
  /// The location of the elements, in row-major order and little-endian; `nil` in a model to be
  /// written.
  package var elements: ONNXElements?

  /// Makes a tensor.
  package init(
    name: String, elementType: ElementType, isPacked: Bool = false, shape: [Int],
    elements: ONNXElements? = nil
  ) {
    self.name = name
    self.elementType = elementType
    self.isPacked = isPacked
    self.shape = shape
    self.elements = elements
  }
}

/// The location of a tensor's elements.
package enum ONNXElements: Hashable, Sendable {
  /// In the file.
  case inside(Range<Int>)
  /// Unpacked from integers of another width.
  case unpacked([UInt8])
  /// In a separate file.
  case beside(fileName: String, offset: Int)
}

/// An input or output of a graph.
package struct ONNXFeature: Sendable {
  /// The size of an axis.
  package enum Dimension: Hashable, Sendable {
    case fixed(Int)
    /// Known when the model runs; equal names mean equal sizes.
    case named(String)
    case unknown
  }

  /// The value's name.
  package var name: String
  /// The type of the elements.
  package var elementType: ElementType
  /// The sizes.
  package var shape: [Dimension]
  /// A description of the contents, for people.
  package var summary: String?
  /// The ONNX denotation, such as `IMAGE`.
  package var denotation: String?
  /// The ONNX denotations of the axes, such as `DATA_CHANNEL`; empty if there are none.
  package var axisDenotations: [String]
  /// Why its type cannot be read, to be appended to its name in a message; only set for a file that
  /// was read. The types of outputs, and of all inputs of subgraphs, follow from the nodes,
  /// whatever the file states.
  package internal(set) var problem: String?

  /// Makes a feature.
  package init(
    name: String, elementType: ElementType, shape: [Dimension], summary: String? = nil,
    denotation: String? = nil, axisDenotations: [String] = []
  ) {
    self.name = name
    self.elementType = elementType
    self.shape = shape
    self.summary = summary
    self.denotation = denotation
    self.axisDenotations = axisDenotations
  }
}
