package import Bytes

/// A whole ONNX file, without the elements of its weights.
///
/// What was read of a file may hold more than what is written: see ``ONNXFile``.
package struct ONNXModel: Sendable {
  /// Which fields and rules of the format apply.
  package var irVersion: Int
  /// The version of ONNX's own set of operators.
  package var opset: Int
  /// Who writes the file.
  package var producerName: String
  /// The writer's version.
  package var producerVersion: String
  /// What the model does, for people.
  package var summary: String?
  /// Whatever else is known of the model, in this order.
  package var metadata: [(key: String, value: String)]
  /// What the model computes.
  package var graph: ONNXGraph
  /// Whether the file defines operators by others; only in a file that was read.
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

/// Nodes, and the tensors that are known beforehand. In files of others the nodes may stand in any
/// order.
package struct ONNXGraph: Sendable {
  /// The graph's name; never empty.
  package var name: String
  /// What it is, in words, or `nil`.
  package var summary: String?
  /// The operations.
  package var nodes: [ONNXNode]
  /// The tensors that are known beforehand.
  package var initializers: [ONNXInitializer]
  /// What the graph takes.
  package var inputs: [ONNXFeature]
  /// What the graph gives.
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

/// One operation on named values.
package struct ONNXNode: Sendable {
  /// The node's name; may be empty in files of others.
  package var name: String
  /// The set of operators that the operation belongs to; empty for ONNX' own.
  package var domain: String
  /// The operator, for example `Conv`.
  package var operation: String
  /// The values it reads; an empty name leaves an optional one out.
  package var inputs: [String]
  /// The values it makes; an empty name leaves one out.
  package var outputs: [String]
  /// Its settings, by rising names.
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
  /// A body; its nodes see the values around it.
  case graph(ONNXGraph)
  /// Elements; in files that are read only.
  case tensor(ONNXInitializer)
  /// What none of the operators known here takes, by ONNX' word for it; in files that are read only.
  case other(String)
}

/// A tensor that is known beforehand. Its elements are written by ``ONNXWriter``; in a file that was
/// read they are where ``elements`` says.
package struct ONNXInitializer: Sendable {
  /// The value's name.
  package var name: String
  /// The type of the elements.
  package var elementType: ElementType
  /// Whether the elements, int8 or uint8, are in the file in 4 bits each, two in a byte, the first in its
  /// lower half.
  package var isPacked: Bool
  /// The sizes.
  package var shape: [Int]
  /// Where the elements are, in row-major order and little-endian; `nil` in a model to be written.
  package var elements: ONNXElements?

  /// Makes a tensor's head.
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

/// Where the elements of a tensor are.
package enum ONNXElements: Hashable, Sendable {
  /// In the file.
  case inside(Range<Int>)
  /// Unpacked from numbers of another width.
  case unpacked([UInt8])
  /// In a file beside it.
  case beside(fileName: String, offset: Int)
}

/// An input or output of a graph.
package struct ONNXFeature: Sendable {
  /// The size of an axis.
  package enum Dimension: Hashable, Sendable {
    case fixed(Int)
    /// Known when the model runs; of one name, of one size.
    case named(String)
    case unknown
  }

  /// The value's name.
  package var name: String
  /// The type of the elements.
  package var elementType: ElementType
  /// The sizes.
  package var shape: [Dimension]
  /// What it holds, for people.
  package var summary: String?
  /// What it is in ONNX' words, such as `IMAGE`.
  package var denotation: String?
  /// What its axes are in ONNX' words, such as `DATA_CHANNEL`; empty when that is not said.
  package var axisDenotations: [String]
  /// Why its type cannot be read, as what follows its name; only in a file that was read. Outputs,
  /// and all inputs of bodies, have the types that follow from the nodes, whatever is said of them.
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
