package import Bytes

/// A whole ONNX file, without the elements of its weights.
///
/// A model that was read may contain more than can be written; see ``ONNXFile``.
package struct ONNXModel: Sendable {
  /// The version of the format, which determines its fields and rules.
  package var irVersion: Int
  /// The version of ONNX's default operator set.
  package var opset: Int
  /// The name of the program that writes the file.
  package var producerName: String
  /// The version of that program.
  package var producerVersion: String
  /// A human-readable description of the model.
  package var summary: String?
  /// Other metadata of the model, in the order of the file.
  package var metadata: [(key: String, value: String)]
  /// The model's computation.
  package var graph: ONNXGraph
  /// The operators that the file itself defines; only in a file that was read.
  package internal(set) var functions: [ONNXFunction] = []

  /// Creates a model.
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
  /// A human-readable description.
  package var summary: String?
  /// The operations.
  package var nodes: [ONNXNode]
  /// The constant tensors.
  package var initializers: [ONNXInitializer]
  /// The graph's inputs.
  package var inputs: [ONNXFeature]
  /// The graph's outputs.
  package var outputs: [ONNXFeature]

  /// Creates a graph.
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
  /// The domain of the operator; empty for that of ONNX itself.
  package var domain: String
  /// The operator, for example `Conv`.
  package var operation: String
  /// Which of the functions of this name in the file it is; empty for the only one.
  package internal(set) var overload = ""
  /// The values it reads; an empty name omits an optional one.
  package var inputs: [String]
  /// The values it computes; an empty name omits an optional one.
  package var outputs: [String]
  /// Its attributes, sorted by name.
  package var attributes: [(name: String, value: ONNXAttribute)]

  /// Creates a node.
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

/// An operator that a file defines by nodes of other operators.
package struct ONNXFunction: Sendable {
  /// The operator that it defines, with its overload.
  package let kind: ONNXOutline.Operator
  /// The version of ONNX's operator set that its nodes use; `nil` if they use none.
  package let opset: Int?
  /// The names of the inputs, by position.
  package let inputs: [String]
  /// The names of the outputs, by position.
  package let outputs: [String]
  /// The values of the attributes that a node may leave out.
  package let defaults: [(name: String, value: ONNXAttribute)]
  /// The operations, which see the inputs and each other's outputs.
  package let nodes: [ONNXNode]
}

/// An attribute of a node.
package enum ONNXAttribute: Sendable {
  case integer(Int)
  case float(Double)
  case string(String)
  case integers([Int])
  case floats([Double])
  case strings([String])
  /// A subgraph, whose nodes can read the values of the enclosing graphs.
  case graph(ONNXGraph)
  /// A tensor; only in files that are read.
  case tensor(ONNXInitializer)
  /// The attribute of that name of the node that uses a function; only in a function.
  case reference(String)
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
  /// The narrower type in the file; the element type then holds its values.
  package var narrowType: ONNXNarrowType?
  /// The sizes of the axes.
  package var shape: [Int]
  /// The location of the elements, in row-major order and little-endian; `nil` in a model to be
  /// written.
  package var elements: ONNXElements?

  /// Creates a tensor.
  package init(
    name: String, elementType: ElementType, narrowType: ONNXNarrowType? = nil, shape: [Int],
    elements: ONNXElements? = nil
  ) {
    self.name = name
    self.elementType = elementType
    self.narrowType = narrowType
    self.shape = shape
    self.elements = elements
  }
}

/// The location of a tensor's elements.
package enum ONNXElements: Hashable, Sendable {
  /// In the file.
  case embedded(Range<Int>)
  /// In memory, converted from integers of another width.
  case unpacked([UInt8])
  /// In another file, as external data.
  case external(fileName: String, offset: Int)
}

/// An input or output of a graph.
package struct ONNXFeature: Sendable {
  /// The size of an axis.
  package enum Dimension: Hashable, Sendable {
    case fixed(Int)
    /// Determined when the model runs; equal names mean equal sizes.
    case named(String)
    case unknown
  }

  /// The value's name.
  package var name: String
  /// The type of the elements.
  package var elementType: ElementType
  /// The narrower type in a file that was read; the element type then holds its values.
  package internal(set) var narrowType: ONNXNarrowType?
  /// The sizes of the axes.
  package var shape: [Dimension]
  /// A human-readable description.
  package var summary: String?
  /// The ONNX denotation, such as `IMAGE`.
  package var denotation: String?
  /// The ONNX denotations of the axes, such as `DATA_CHANNEL`; empty if there are none.
  package var axisDenotations: [String]
  /// Why its type cannot be read, as a phrase that follows its name in a message; only set for a
  /// file that was read. It does not matter for outputs and for inputs of subgraphs, whose types
  /// follow from the nodes.
  package internal(set) var problem: String?

  /// Creates a feature.
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
