import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The functions of Keras' backend (`K.sum`), as Keras 2 computes them on TensorFlow.
enum KerasBackendFunctions {
  struct Function: Sendable {
    /// Its parameters; see ``KerasFunctionSignature/init(_:)``.
    let signature: String
    /// TensorFlow's function that computes the same; `nil` where the table has `keras.backend.NAME`.
    var tensorFlow: String?

    init(_ signature: String, _ tensorFlow: String? = nil) {
      self.signature = signature
      self.tensorFlow = tensorFlow
    }
  }

  /// The functions by name.
  static let all: [String: Function] = [
    "abs": Function("x", "math.abs"), "all": Function("x | axis keepdims"),
    "any": Function("x | axis keepdims"),
    "arange": Function("| start stop:limit step:delta dtype", "range"),
    "argmax": Function("x | axis=-1", "math.argmax"),
    "argmin": Function("x | axis=-1", "math.argmin"), "batch_dot": Function("x y | axes"),
    "batch_flatten": Function("x"), "cast": Function("x | dtype", "cast"),
    "cast_to_floatx": Function("x"),
    "clip": Function("x | min_value max_value"),
    "concatenate": Function("tensors | axis=-1"), "cos": Function("x", "math.cos"),
    "cumprod": Function("x | axis=0", "math.cumprod"),
    "cumsum": Function("x | axis=0", "math.cumsum"), "dot": Function("x y"),
    "elu": Function("x | alpha=1.0"), "equal": Function("x y", "math.equal"),
    "exp": Function("x", "math.exp"), "expand_dims": Function("x | axis=-1"),
    "flatten": Function("x"), "gather": Function("reference indices"),
    "greater": Function("x y", "math.greater"),
    "greater_equal": Function("x y", "math.greater_equal"), "hard_sigmoid": Function("x"),
    "identity": Function("x", "identity"),
    "l2_normalize": Function("x | axis", "math.l2_normalize"),
    "less": Function("x y", "math.less"), "less_equal": Function("x y", "math.less_equal"),
    "log": Function("x", "math.log"),
    "logsumexp": Function("x | axis keepdims", "math.reduce_logsumexp"),
    "max": Function("x | axis keepdims", "math.reduce_max"),
    "maximum": Function("x y", "math.maximum"), "mean": Function("x | axis keepdims"),
    "min": Function("x | axis keepdims", "math.reduce_min"),
    "minimum": Function("x y", "math.minimum"), "not_equal": Function("x y", "math.not_equal"),
    "one_hot": Function("indices | num_classes:depth", "one_hot"),
    "ones_like": Function("x | dtype", "ones_like"),
    "permute_dimensions": Function("x | pattern:perm"), "pow": Function("x a", "math.pow"),
    "print_tensor": Function("x | message summarize"),
    "prod": Function("x | axis keepdims", "math.reduce_prod"),
    "relu": Function("x | alpha=0.0 max_value threshold=0.0"), "repeat": Function("x | n"),
    "repeat_elements": Function("x | rep:repeats axis"),
    "reshape": Function("x shape?", "reshape"),
    "resize_images": Function("x | height_factor width_factor data_format interpolation"),
    "reverse": Function("x | axes"), "round": Function("x", "math.round"),
    "shape": Function("x", "shape"), "sigmoid": Function("x", "math.sigmoid"),
    "sign": Function("x", "math.sign"), "sin": Function("x", "math.sin"),
    "softmax": Function("x | axis=-1", "nn.softmax"), "softplus": Function("x", "nn.softplus"),
    "softsign": Function("x", "nn.softsign"),
    "spatial_2d_padding": Function("x | padding=[[1,1],[1,1]] data_format"),
    "sqrt": Function("x"), "square": Function("x", "math.square"),
    "squeeze": Function("x | axis"), "stack": Function("x | axis=0"),
    "std": Function("x | axis keepdims", "math.reduce_std"),
    "stop_gradient": Function("x", "stop_gradient"),
    "sum": Function("x | axis keepdims", "math.reduce_sum"),
    "switch": Function("condition then_expression else_expression"),
    "tanh": Function("x", "math.tanh"), "temporal_padding": Function("x | padding=[1,1]"),
    "tile": Function("x | n:multiples"), "transpose": Function("x", "transpose"),
    "var": Function("x | axis keepdims", "math.reduce_variance"),
    "zeros_like": Function("x | dtype", "zeros_like"),
  ]

  /// TensorFlow's name of a function of the backend, if it computes the same.
  static func tensorFlow(_ name: String) -> String? {
    guard name.hasPrefix(prefix) else { return nil }
    return all[String(name.dropFirst(prefix.count))]?.tensorFlow
  }

  static let prefix = "keras.backend."
}

/// The functions of the backend that are not TensorFlow's under another name.
extension KerasFunctionTable {
  static let backend: [Entry] = [
    reduction("any", .any, to: .bool), reduction("all", .all, to: .bool),
    Entry(tf: ["keras.backend.mean"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let isBoolean = call.type(of: value).elementType == .bool
      return try call.addReduction(.mean, of: value, as: isBoolean ? .float32 : nil)
    },
    Entry(tf: ["keras.backend.cast_to_floatx"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      call.layer.decideOnce(
        "K.floatx(), which is not in the file, is taken as float32, Keras' default")
      return try call.result(value, as: .float32)
    },
    Entry(tf: ["keras.backend.print_tensor"]) { (call) throws(WeighbridgeError) in
      call.ignore("message")
      call.ignore("summarize")
      return try call.result(try call.tensor("x", at: 0))
    },
    // A root of a negative number is 0.
    Entry(tf: ["keras.backend.sqrt"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let bounded = try call.addOne(
        Maximum(), [value, try call.number(0, like: value)], role: "maximum")
      return try call.add(UnaryMath(.squareRoot), [bounded])
    },
    Entry(tf: ["keras.backend.clip"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let minimum = try call.real("min_value", default: -.infinity)
      let maximum = try call.real("max_value", default: .infinity)
      return try call.add(Clip(minimum: minimum, maximum: max(minimum, maximum)), [value])
    },
    Entry(tf: ["keras.backend.relu"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let slope = try call.real("alpha")
      let maximum = try call.real("max_value", default: .infinity)
      let operation = ReLU(
        slope: slope, threshold: try call.real("threshold"),
        maximum: maximum == .infinity ? nil : maximum)
      return try call.add(operation, [value])
    },
    Entry(tf: ["keras.backend.elu"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      return try call.add(ELU(alpha: try call.real("alpha")), [value])
    },
    Entry(tf: ["keras.backend.hard_sigmoid"]) { (call) throws(WeighbridgeError) in
      try call.add(HardSigmoid(slope: 0.2, offset: 0.5), [try call.tensor("x", at: 0)])
    },
    Entry(tf: ["keras.backend.flatten"]) { (call) throws(WeighbridgeError) in
      try call.add(ReshapeAxes([.rest]), [try call.tensor("x", at: 0)])
    },
    Entry(tf: ["keras.backend.repeat"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", at: 0)
      let count = try call.integer("n")
      guard type.rank == 2, count >= 0 else {
        throw .unsupported("repeats \(type) \(count) times, and two axes are expected")
      }
      let row = try call.addOne(ExpandDims(axes: [1]), [value], role: "expand_dims")
      return try call.add(Tile(counts: [1, count, 1]), [row])
    },
    Entry(tf: ["keras.backend.dot"]) { (call) throws(WeighbridgeError) in
      let terms = [try call.term("x", at: 0), try call.term("y", at: 1)]
      let ranks = terms.map(call.rank)
      guard ranks[0] >= 2, ranks[1] == 2 else {
        throw .unsupported(
          "multiplies tensors of \(ranks[0]) and \(ranks[1]) axes, and the second must be a matrix")
      }
      let operation = MatMul(transposeA: false, transposeB: false)
      return try call.add(operation, try call.unified(terms, sharesRank: true))
    },
    Entry(tf: ["keras.backend.batch_dot"]) { (call) throws(WeighbridgeError) in
      try call.addBatchProduct()
    },
    Entry(tf: ["keras.backend.switch"]) { (call) throws(WeighbridgeError) in
      try call.addSwitch()
    },
    layer("resize_images", "UpSampling2D", ["data_format", "interpolation"]) {
      (call) throws(WeighbridgeError) in
      let factors = [try call.integer("height_factor"), try call.integer("width_factor")]
      return ("size", .array(factors.map(JSONValue.integer)))
    },
    layer("spatial_2d_padding", "ZeroPadding2D", ["data_format"]) {
      (call) throws(WeighbridgeError) in ("padding", try call.plain("padding") ?? .null)
    },
    layer("temporal_padding", "ZeroPadding1D", []) { (call) throws(WeighbridgeError) in
      ("padding", try call.plain("padding") ?? .null)
    },
  ]

  private static func reduction(
    _ name: String, _ function: Reduce.Function, to type: ElementType
  ) -> Entry {
    Entry(tf: ["keras.backend.\(name)"]) { (call) throws(WeighbridgeError) in
      try call.addReduction(function, of: try call.tensor("x", at: 0), as: type)
    }
  }

  /// A function that computes what a layer of Keras does.
  ///
  /// - Parameters:
  ///   - settings: The arguments that are settings of the layer under their own names.
  ///   - other: Reads the layer's other setting.
  private static func layer(
    _ name: String, _ className: String, _ settings: [String],
    _ other:
      @escaping @Sendable (inout KerasFunction) throws(WeighbridgeError) -> (String, JSONValue)
  ) -> Entry {
    Entry(tf: ["keras.backend.\(name)"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let (key, setting) = try other(&call)
      var config: JSONObject = [key: setting]
      for key in settings { if let value = try call.plain(key) { config[key] = value } }
      return try call.layer.addInner(
        config, [value], role: "", build: KerasMappings.builder(of: className))
    }
  }
}

extension KerasFunction {
  fileprivate mutating func addReduction(
    _ function: Reduce.Function, of value: ValueID, as elementType: ElementType?
  ) throws(WeighbridgeError) -> [ValueID] {
    var (value, type) = (value, type(of: value))
    if let elementType, type.elementType != elementType {
      value = try addOne(Cast(to: elementType), [value], role: "cast")
      type = self.type(of: value)
    }
    let axes = try axes("axis", of: type) ?? Array(0..<type.rank)
    let keepDims = try flag("keepdims", default: false)
    return try add(Reduce(function, axes: axes, keepDims: keepDims), [value])
  }

  /// Adds, for each element of the batch, the product of two vectors or matrices along one axis of
  /// each. A product of vectors keeps an axis of size 1.
  fileprivate mutating func addBatchProduct() throws(WeighbridgeError) -> [ValueID] {
    let terms = [try term("x", at: 0), try term("y", at: 1)]
    var values = try unified(terms, sharesRank: false)
    let ranks = values.map { type(of: $0).rank }
    guard ranks.allSatisfy({ $0 == 2 || $0 == 3 }) else {
      throw .unsupported(
        "multiplies tensors of \(ranks[0]) and \(ranks[1]) axes, and 2 or 3 are supported")
    }
    let axes = try productAxes(ranks)
    if ranks == [2, 2] {
      let product = try addOne(Multiply(), values, role: "product")
      return try add(Reduce(.sum, axes: [1], keepDims: true), [product])
    }
    // A vector becomes a matrix of one column, which the result does not have.
    for index in values.indices where ranks[index] == 2 {
      values[index] = try addOne(ExpandDims(axes: [2]), [values[index]], role: "column")
    }
    let operation = MatMul(transposeA: axes[0] == 1, transposeB: axes[1] == 2)
    guard ranks != [3, 3] else { return try add(operation, values) }
    let product = try addOne(operation, values, role: "product")
    return try add(Squeeze(axes: [ranks[0] == 2 ? 1 : 2]), [product])
  }

  /// The axis of each tensor along which a product is summed.
  private mutating func productAxes(_ ranks: [Int]) throws(WeighbridgeError) -> [Int] {
    guard var axes = try integers("axes") else {
      // Versions differ in the default for vectors.
      guard ranks[1] == 3 else {
        throw .unsupported(
          "has no axes, and for a vector versions of Keras have different defaults")
      }
      return [ranks[0] - 1, 1]
    }
    if axes.count == 1 { axes.append(axes[0]) }
    // Before Keras 2.3, negative axes of matrices gave something else.
    let allowsNegative = ranks == [2, 2] || layer.version >= KerasVersion(2, 3)
    guard axes.count == 2, allowsNegative || axes.allSatisfy({ $0 >= 0 }) else {
      throw .unsupported("axes=\(axes), and one axis of each tensor is expected")
    }
    axes = zip(axes, ranks).map { $0 < 0 ? $0 + $1 : $0 }
    guard zip(axes, ranks).allSatisfy({ $0 >= 1 && $0 < $1 }) else {
      throw .unsupported(
        "axes=\(axes) of tensors with \(ranks[0]) and \(ranks[1]) axes, expected axes after "
          + "the batch")
    }
    return axes
  }

  /// Adds a selection. A condition with fewer axes gets further ones at its end.
  fileprivate mutating func addSwitch() throws(WeighbridgeError) -> [ValueID] {
    var condition = try tensor("condition", at: 0)
    let choices = [try term("then_expression", at: 1), try term("else_expression", at: 2)]
    let values = try unified(choices, sharesRank: true)
    if !isBoolean(condition) {
      condition = try addOne(Cast(to: .bool), [condition], role: "condition")
    }
    let (rank, own) = (type(of: values[0]).rank, type(of: condition).rank)
    guard own <= rank else {
      throw .unsupported("has a condition of \(own) axes, and its values only \(rank)")
    }
    if own < rank {
      condition = try addOne(
        ExpandDims(axes: Array(own..<rank)), [condition], role: "expand_dims")
    }
    return try add(Where(), [condition] + values)
  }
}
