import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension AveragePooling: KerasMapped {
  /// Keras: `AveragePooling1D`, `AveragePooling2D`, `AveragePooling3D`. Padding is excluded, except
  /// in some versions on Theano.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("AveragePooling", shape: { .window(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      let window = try layer.poolingWindow(axes: axes)
      let layout = try layer.dataLayout()
      let countIncludePad = axes <= 2 && layer.averagesPaddingOnTheano
      return try layer.add(
        AveragePooling(window: window, countIncludePad: countIncludePad, layout: layout), inputs)
    }.distributed(.inputs))
  /// Keras never counts its own padding.
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    let window = operation.window
    var borders: Borders?
    switch window.padding {
    case .valid: break
    case .same where operation.countIncludePad:
      guard let known = window.borders(of: Array(builder.type().shape.dropFirst().dropLast()))
      else {
        throw .unsupported("counts the padding, which Keras' average leaves out; state its size")
      }
      borders = Borders(before: known.before, after: known.after)
    case .same: break
    case .explicit(let before, let after):
      if operation.countIncludePad {
        borders = Borders(before: before, after: after)
      } else if try builder.padding(window, builder.type()).borders != nil {
        throw .unsupported(
          "leaves out padding of another width than Keras' same, and Keras would count it")
      }
    }
    return try builder.pooling("AveragePooling", window, filledWith: 0, borders: borders)
  }
}

extension MaxPooling: KerasMapped {
  /// Keras: `MaxPooling1D`, `MaxPooling2D`, `MaxPooling3D`.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("MaxPooling", shape: { .window(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      let window = try layer.poolingWindow(axes: axes)
      let operation = MaxPooling(window: window, layout: try layer.dataLayout())
      return try layer.addSelection(operation, inputs)
    }.distributed(.inputs))
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.pooling(
      "MaxPooling", operation.window, filledWith: -Double.greatestFiniteMagnitude)
  }
}

extension GlobalAveragePooling: KerasMapped {
  /// Keras: `GlobalAveragePooling1D`, `GlobalAveragePooling2D`, `GlobalAveragePooling3D`. For an
  /// input with a mask, the first takes the mean of the unmasked steps.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("GlobalAveragePooling", shape: { .pooling(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      var input = try layer.onlyInput(inputs)
      let mask = axes == 1 ? layer.takeTensors("mask").first ?? layer.mask(of: input) : nil
      let type = layer.graph.type(of: input).elementType
      if layer.version.major < 3, type.isInteger, mask == nil {
        try layer.requireSpatialAxes(axes, of: inputs)
        let spatial = Array(try layer.dataLayout().spatialAxes(rank: axes + 2))
        let keepDims = try layer.flag("keepdims", default: false)
        return try layer.addIntegerMean(of: input, axes: spatial, keepDims: keepDims)
      }
      // Keras takes the mean of integers in float32 from version 3 on, and of booleans always. With a
      // mask it divides sums of integers, of 32 bits at least in Keras 3, which makes float64 in
      // TensorFlow and float32 in JAX.
      let isDouble =
        mask != nil && !type.isFloat && !layer.writer.isJAX
        && (layer.version.major >= 3 || type.byteCount > 2)
      input = try layer.cast([input], to: isDouble ? .float64 : .float32)[0]
      guard let mask else {
        return try layer.add(try pooling(&layer, [input], axes: axes), [input])
      }
      let keepDims = try layer.flag("keepdims", default: false)
      return try layer.add(
        MaskedAveragePooling(keepDims: keepDims, layout: try layer.dataLayout()), [input, mask])
    }.distributed(.inputs))
  static let kerasRow = pooled("GlobalAveragePooling")
}

extension GlobalMaxPooling: KerasMapped {
  /// Keras: `GlobalMaxPooling1D`, `GlobalMaxPooling2D`, `GlobalMaxPooling3D`.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("GlobalMaxPooling", shape: { .pooling(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      try layer.addSelection(try pooling(&layer, inputs, axes: axes), inputs)
    }.distributed(.inputs))
  static let kerasRow = pooled("GlobalMaxPooling")
}

extension GlobalPoolingOperator {
  /// Reads a Keras layer: `data_format` and `keepdims` (since 2.6).
  fileprivate static func pooling(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> Self {
    try layer.requireSpatialAxes(axes, of: inputs)
    let keepDims = try layer.flag("keepdims", default: false)
    return Self(keepDims: keepDims, layout: try layer.dataLayout())
  }

  fileprivate static func pooled(_ className: String) -> KerasRow? {
    KerasRow(Self.self) { (operation, builder) throws(WeighbridgeError) in
      let axes = builder.type().rank - 2
      guard (1...3).contains(axes) else {
        throw .unsupported(
          "has \(axes.counted("spatial axis")), and Keras' layer "
            + "one to three")
      }
      return try builder.layer(
        "\(className)\(axes)D",
        ["data_format": "channels_last", "keepdims": .bool(operation.keepDims)])
    }
  }
}

extension AdaptiveAveragePooling: KerasMapped {
  /// Keras 3: `AdaptiveAveragePooling1D`, `AdaptiveAveragePooling2D`, `AdaptiveAveragePooling3D`.
  static let keras = mapping("AdaptiveAveragePooling")
  static let kerasRow: KerasRow? = KerasRow(composite: Self.self)
}

extension AdaptiveMaxPooling: KerasMapped {
  /// Keras 3: `AdaptiveMaxPooling1D`, `AdaptiveMaxPooling2D`, `AdaptiveMaxPooling3D`.
  static let keras = mapping("AdaptiveMaxPooling")
  static let kerasRow: KerasRow? = KerasRow(composite: Self.self)
}

extension AdaptivePoolingOperator {
  /// Creates the mapping of Keras' layers with `output_size` and `data_format`.
  fileprivate static func mapping(_ name: String) -> KerasMapping {
    KerasMapping(
      KerasLayerClass.spatial(name, shape: { _ in .unknown }) {
        (layer, inputs, axes) throws(WeighbridgeError) in
        try layer.requireSpatialAxes(axes, of: inputs)
        let dimensions = try layer.integers("output_size", count: axes)
        if let problem = Resizing.problem(dimensions) { throw layer.malformed(problem) }
        return try layer.addAdaptivePooling(
          Self(dimensions: dimensions, layout: try layer.dataLayout()), inputs)
      }.distributed(.inputs))
  }
}

extension KerasLayer {
  /// Adds adaptive pooling. The largest of integers has their type; means of integers overflow on JAX,
  /// and TensorFlow has none.
  mutating func addAdaptivePooling(
    _ operation: some AdaptivePoolingOperator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    operation is AdaptiveMaxPooling
      ? try addSelection(operation, inputs) : try add(operation, inputs)
  }

  /// Reads the window of a pooling layer: `pool_size`, `strides` (the window's size when absent)
  /// and `padding`.
  fileprivate mutating func poolingWindow(axes: Int) throws(WeighbridgeError) -> Window {
    let two = [Int](repeating: 2, count: axes)
    let size = try integers("pool_size", count: axes, default: two)
    let strides = try integers("strides", count: axes, default: size)
    let padding: WindowPadding =
      switch try choice("padding", default: KerasPadding.valid) {
      case .valid: .valid
      case .same: try samePoolingPadding(size: size, strides: strides)
      }
    let window = Window(
      size: size, strides: strides, dilation: size.map { _ in 1 }, padding: padding)
    if let problem = window.problem { throw malformed(problem) }
    return window
  }
}

extension KerasModelBuilder {
  /// Adds a pooling layer; padding that Keras' layer does not have is added before it.
  ///
  /// - Parameter borders: The borders to pad in any case, so that the result includes them.
  fileprivate mutating func pooling(
    _ className: String, _ window: Window, filledWith number: Double, borders: Borders? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    guard window.dilation.allSatisfy({ $0 == 1 }), (1...3).contains(window.size.count) else {
      throw .unsupported(
        "has a dilated window, or one of more than three axes, which Keras' pooling cannot have")
    }
    var (name, added) = try padding(window, type())
    if let borders { (name, added) = ("valid", borders) }
    var input = self[0]
    if let added {
      input = try padded(
        input, [0] + added.before + [0], [0] + added.after + [0], mode: "constant",
        number: number)
    }
    return try layer(
      "\(className)\(window.size.count)D",
      [
        "pool_size": .integers(window.size), "strides": .integers(window.strides),
        "padding": .string(name), "data_format": "channels_last",
      ], [input])
  }
}
