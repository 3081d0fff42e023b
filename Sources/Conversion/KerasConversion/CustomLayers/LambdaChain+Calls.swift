import JSON
import KerasFormat

/// Common functions of TensorFlow and the Keras backend.
extension LambdaChain {
  private enum Library {
    case keras, tensorFlow, operations
  }

  /// Splits a function's name into its library and the rest.
  private static func split(_ path: String) -> (Library, String)? {
    let prefixes: [(String, Library)] = [
      ("tf.keras.backend.", .keras), ("tensorflow.keras.backend.", .keras),
      ("keras.backend.tf.", .tensorFlow), ("keras.backend.", .keras), ("K.tf.", .tensorFlow),
      ("K.", .keras), ("backend.", .keras), ("keras.ops.", .operations), ("ops.", .operations),
      ("tf.compat.v1.", .tensorFlow), ("tf.", .tensorFlow), ("tensorflow.", .tensorFlow),
      ("ktf.", .tensorFlow),
    ]
    return prefixes.first { path.hasPrefix($0.0) }.map {
      ($0.1, String(path.dropFirst($0.0.count)))
    }
  }

  /// Adds a call whose first argument is the output of the steps so far.
  mutating func addCall(_ call: inout LambdaCall) -> Bool {
    guard let (library, name) = Self.split(call.path) else { return false }
    switch name {
    case "squeeze":
      guard let axes = axes(call.take(1, "axis", "squeeze_dims")) else { return false }
      squeeze(axes)
    case "expand_dims":
      let fallback: PythonExpression? = library == .keras ? .value(.integer(-1)) : nil
      guard let axis = axes(call.take(1, "axis", "dim") ?? fallback, addsAxes: true) else {
        return false
      }
      expand(axis)
    case "reverse", "flip":
      guard let axes = axes(call.take(1, "axes", "axis")) else { return false }
      addOperator("reverse", ["axes": .integers(axes)])
    case "argmax", "math.argmax", "argmin", "math.argmin":
      let fallback: PythonExpression? = library == .keras ? .value(.integer(-1)) : nil
      guard let axis = axes(call.take(1, "axis", "dimension") ?? fallback), axis.count == 1 else {
        return false
      }
      addOperator(
        name.hasSuffix("max") ? "argmax" : "argmin",
        [
          "axis": .integer(axis[0]), "keepdims": false,
          "element_type": library == .operations ? "int32" : "int64",
        ])
      shape?.remove(at: axis[0])
    case "l2_normalize", "nn.l2_normalize", "math.l2_normalize":
      guard let axes = axes(call.take(1, "axis", "dim")) else { return false }
      if let epsilon = call.take(2, "epsilon"), arguments.number(epsilon) != 1e-12 { return false }
      addLayer("UnitNormalization", ["axis": .integers(axes)])
    case "cast":
      let types: Set = ["tf.float32", "tensorflow.float32", "'float32'"]
      guard let type = call.take(1, "dtype"), types.contains(type.text([])) else { return false }
      addOperator("cast", ["element_type": "float32"])
    case "relu", "nn.relu", "sigmoid", "nn.sigmoid", "tanh", "nn.tanh", "math.tanh", "softmax",
      "nn.softmax", "softplus", "nn.softplus", "elu", "nn.elu":
      let function = name.split(separator: ".").last.map(String.init) ?? name
      addLayer("Activation", ["activation": .string(function)])
    default: return addImageCall(name, library == .keras, &call)
    }
    return true
  }

  /// The axes that an argument lists, non-negative and ascending; the batch axis is not allowed.
  private func axes(_ argument: PythonExpression?, addsAxes: Bool = false) -> [Int]? {
    guard let argument, let written = arguments.integers(argument) else { return nil }
    let rank = shape.map { $0.count + (addsAxes ? written.count : 0) }
    let axes = written.map { $0 < 0 ? $0 + (rank ?? 0) : $0 }
    guard Set(axes).count == axes.count, axes.allSatisfy({ $0 > 0 && $0 < rank ?? .max }) else {
      return nil
    }
    return axes.sorted()
  }

  private mutating func addImageCall(
    _ name: String, _ isKeras: Bool, _ call: inout LambdaCall
  ) -> Bool {
    switch name {
    case "resize_images" where isKeras:
      let factors = [call.take(1, "height_factor"), call.take(2, "width_factor")].compactMap {
        $0.flatMap(arguments.integers)?.first
      }
      guard factors.count == 2, factors.allSatisfy({ $0 > 0 }),
        call.take(3, "data_format")?.text([]) ?? "'channels_last'" == "'channels_last'"
      else { return false }
      addLayer("UpSampling2D", ["size": .integers(factors)])
      setDimensions(nil)
    case "image.resize_images", "image.resize_bilinear", "image.resize_nearest_neighbor",
      "image.resize_bicubic", "image.resize_area":
      return addLegacyResize(name, &call)
    case "image.resize":
      guard let size = size(&call), let method = method(call.take(2, "method", "interpolation"))
      else { return false }
      notes.append("tf.image.resize is taken as TensorFlow 2 computes it, at half-pixel centres")
      addLayer(
        "Resizing",
        [
          "height": .integer(size[0]), "width": .integer(size[1]),
          "interpolation": .string(method),
        ])
      setDimensions(size)
    default: return false
    }
    return true
  }

  /// The functions of TensorFlow 1, which compute coordinates differently.
  private mutating func addLegacyResize(_ name: String, _ call: inout LambdaCall) -> Bool {
    var size = size(&call)
    var alignCornersPosition = 2
    // Old versions took the height and the width separately.
    if let height = call.take(nil, "new_height"), let width = call.take(nil, "new_width") {
      size = [height, width].compactMap { arguments.integers($0)?.first }
    }
    let methods = [
      "image.resize_bilinear": "bilinear", "image.resize_nearest_neighbor": "nearest",
      "image.resize_bicubic": "bicubic", "image.resize_area": "area",
    ]
    var method = methods[name]
    if method == nil {
      method = self.method(call.take(2, "method"))
      alignCornersPosition = 3
    }
    let alignCornersValue = call.take(alignCornersPosition, "align_corners") ?? .value(.bool(false))
    guard let size, size.count == 2, let method,
      case .value(.bool(let alignsCorners)) = alignCornersValue
    else { return false }
    addLayer(
      "tf.image.resize_images",
      ["size": .integers(size), "method": .string(method), "align_corners": .bool(alignsCorners)])
    setDimensions(size)
    return true
  }

  private func size(_ call: inout LambdaCall) -> [Int]? {
    guard let size = call.take(1, "size").flatMap(arguments.integers), size.count == 2,
      size.allSatisfy({ (1...1 << 24).contains($0) })
    else { return nil }
    return size
  }

  /// The interpolation method, by TensorFlow's name or number.
  private func method(_ argument: PythonExpression?) -> String? {
    let names = ["bilinear", "nearest", "bicubic", "area"]
    switch argument {
    case nil: return names[0]
    case .value(.integer(let number)): return names.indices.contains(number) ? names[number] : nil
    case .value(.string(let name)): return names.contains(name) ? name : nil
    case .attribute(_, let name):
      return [
        "BILINEAR": "bilinear", "NEAREST_NEIGHBOR": "nearest", "BICUBIC": "bicubic", "AREA": "area",
      ][name]
    default: return nil
    }
  }

  /// Records the new height and width of images; `nil` when they are not known.
  private mutating func setDimensions(_ size: [Int]?) {
    guard shape?.count == 4 else { return }
    shape?.replaceSubrange(1..<3, with: [size?[0], size?[1]])
  }
}
