import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that take windows out of images, and that crop, pad and turn images.
extension KerasFunctionTable {
  static let patches: [Entry] = [
    Entry(["ExtractPatches"], tf: ["image.extract_patches", "compat.v1.extract_image_patches"]) {
      (call) throws(WeighbridgeError) in try call.addPatches()
    },
    Entry(["CropImages"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("images", at: 0)
      let axes = try call.imageAxes(of: value)
      var ranges: [Slice.Range] = []
      for (axis, names) in zip(axes, [["top", "bottom", "height"], ["left", "right", "width"]]) {
        let borders = try call.borders(
          "\(names[0])_cropping", "\(names[1])_cropping", "target_\(names[2])", axis, of: value,
          crops: true)
        ranges.append(
          .init(
            axis: axis, start: borders.before, stop: borders.after == 0 ? nil : -borders.after,
            step: 1))
      }
      return try call.add(Slice(ranges), [value])
    },
    Entry(["PadImages"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("images", at: 0)
      let axes = try call.imageAxes(of: value)
      var borders: [Int: (before: Int, after: Int)] = [:]
      for (axis, names) in zip(axes, [["top", "bottom", "height"], ["left", "right", "width"]]) {
        borders[axis] = try call.borders(
          "\(names[0])_padding", "\(names[1])_padding", "target_\(names[2])", axis, of: value,
          crops: false)
      }
      return try call.result(try call.bordered(value, borders))
    },
    Entry(tf: ["image.pad_to_bounding_box"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("image", at: 0)
      let axes = try call.imageAxes(of: value)
      var borders: [Int: (before: Int, after: Int)] = [:]
      for (index, name) in ["height", "width"].enumerated() {
        let before = try call.integer("offset_\(name)", at: 1 + index)
        let target = try call.integer("target_\(name)", at: 3 + index)
        let (after, overflow) = target.subtractingReportingOverflow(
          try call.size(axes[index], of: value))
        guard !overflow, before >= 0, after >= before, target <= 1 << 24 else {
          throw .malformed(
            "target_\(name)=\(target) of \(call.type(of: value)), expected room for the image "
              + "and its offset")
        }
        borders[axes[index]] = (before, after - before)
      }
      return try call.result(try call.bordered(value, borders))
    },
    Entry(tf: ["image.resize_with_crop_or_pad", "image.resize_image_with_crop_or_pad"]) {
      (call) throws(WeighbridgeError) in
      var value = try call.tensor("image", at: 0)
      for (index, axis) in try call.imageAxes(of: value).enumerated() {
        let name = index == 0 ? "target_height" : "target_width"
        let target = try call.integer(name, at: 1 + index)
        guard (1...1 << 24).contains(target) else {
          throw .malformed(
            "\(name)=\(target), expected 1 "
              + "to 2^24")
        }
        let size = try call.size(axis, of: value)
        if target < size {
          let start = (size - target) / 2
          value = try call.sliced(value, axis: axis, from: start, to: start + target)
        } else if target > size {
          let before = (target - size) / 2
          value = try call.bordered(value, [axis: (before, target - size - before)])
        }
      }
      return try call.result(value)
    },
    Entry(tf: ["image.resize_with_pad"]) { (call) throws(WeighbridgeError) in
      try call.addResizeWithBorders()
    },
    Entry(["Rot90"], tf: ["image.rot90"]) { (call) throws(WeighbridgeError) in
      try call.addQuarterTurns()
    },
    Entry(["Fliplr"]) { (call) throws(WeighbridgeError) in
      try call.add(Reverse(axes: [1]), [try call.tensor("x", at: 0)])
    },
    Entry(["Flipud"]) { (call) throws(WeighbridgeError) in
      try call.add(Reverse(axes: [0]), [try call.tensor("x", at: 0)])
    },
  ]
}

extension KerasFunction {
  /// The axes of height and width of an image or a batch of images; takes `data_format`.
  mutating func imageAxes(of value: ValueID) throws(WeighbridgeError) -> [Int] {
    let (rank, layout) = (type(of: value).rank, try layout())
    guard rank == 3 || rank == 4 else {
      throw .malformed("takes images and has \(type(of: value))")
    }
    let first = layout == .channelsLast ? rank - 3 : rank - 2
    return [first, first + 1]
  }

  /// Takes two of three: a border before and after an axis, and its new size.
  fileprivate mutating func borders(
    _ before: String, _ after: String, _ target: String, _ axis: Int, of value: ValueID,
    crops: Bool
  ) throws(WeighbridgeError) -> (before: Int, after: Int) {
    let given = [try plain(before), try plain(after), try plain(target)].map { $0?.integer }
    guard given.allSatisfy({ ($0 ?? 0).magnitude <= 1 << 24 }) else {
      throw .malformed("has borders or sizes beyond 2^24")
    }
    var borders = (before: given[0], after: given[1])
    if let target = given[2], borders.before == nil || borders.after == nil {
      let size = try size(axis, of: value)
      let surplus = crops ? size - target : target - size
      if borders.before == nil { borders.before = surplus - (borders.after ?? 0) }
      if borders.after == nil { borders.after = surplus - (borders.before ?? 0) }
    }
    guard let before = borders.before, let after = borders.after, (0...1 << 24).contains(before),
      (0...1 << 24).contains(after)
    else {
      throw .malformed(
        "has \(before), \(after) and \(target) "
          + "\(given.map { $0.map(String.init) ?? "None" }), which do not "
          + "fit \(type(of: value))")
    }
    return (before, after)
  }

  /// Adds borders of zeros.
  fileprivate mutating func bordered(
    _ value: ValueID, _ borders: [Int: (before: Int, after: Int)]
  ) throws(WeighbridgeError) -> ValueID {
    let axes = 0..<type(of: value).rank
    return try part(
      Pad(
        before: axes.map { borders[$0]?.before ?? 0 }, after: axes.map { borders[$0]?.after ?? 0 },
        mode: .constant, value: 0), value)
  }

  /// Adds images that keep their aspect ratio, with borders of zeros on two sides.
  fileprivate mutating func addResizeWithBorders() throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("image", at: 0)
    let axes = try imageAxes(of: value)
    let targets = [try integer("target_height", at: 1), try integer("target_width", at: 2)]
    let interpolation = try takeInterpolation()
    let antialiases = try flag("antialias", default: false)
    guard type(of: value).rank == 4, type(of: value).elementType == .float32,
      targets.allSatisfy((1...1 << 24).contains)
    else {
      throw .unsupported(
        "resizes \(type(of: value)) to \(targets), expected a batch of float32 images and sizes "
          + "of 1 to 2^24")
    }
    let sizes = [Float(try size(axes[0], of: value)), Float(try size(axes[1], of: value))]
    // Rounded as by TensorFlow.
    let ratio = max(sizes[1] / Float(targets[1]), sizes[0] / Float(targets[0]))
    let resized = sizes.map { Int(($0 / ratio).rounded(.down)) }
    var borders: [Int: (before: Int, after: Int)] = [:]
    for index in 0..<2 {
      let half = (Float(targets[index]) - sizes[index] / ratio) / 2
      let before = max(0, Int(half.rounded(.down)))
      let after = targets[index] - resized[index] - before
      guard resized[index] >= 1, after >= 0 else {
        throw .unsupported(
          "resizes to \(targets), which leaves no room "
            + "for the image")
      }
      borders[axes[index]] = (before, after)
    }
    let operation = Resizing(
      dimensions: resized, interpolation: interpolation, antialiases: antialiases, fit: .stretch,
      layout: .channelsLast)
    return try result(try bordered(try part(operation, value), borders))
  }

  fileprivate mutating func addQuarterTurns() throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("array", "image", at: 0)
    let rank = type(of: value).rank
    var axes = [0, 1]
    if case .operation = name {
      let written = try integers("axes", at: 2) ?? axes
      guard written.count == 2 else { throw .malformed("axes=\(written), expected two") }
      axes = [
        try KerasLayer.axis(written[0], of: type(of: value)),
        try KerasLayer.axis(written[1], of: type(of: value)),
      ]
    } else {
      axes = try imageAxes(of: value)
    }
    let turns = try integer("k", at: 1, default: 1)
    guard axes[0] != axes[1] else { throw .malformed("axes=\(axes), expected two different ones") }
    var order = Array(0..<rank)
    order.swapAt(axes[0], axes[1])
    switch ((turns % 4) + 4) % 4 {
    case 0: return try add(Identity(), [value])
    case 1: return try add(Transpose(axes: order), [try part(Reverse(axes: [axes[1]]), value)])
    case 2:
      let shape = type(of: value).shape
      if case .operation = name {
        guard let size = shape[axes[0]].value, shape[axes[1]].value == size else {
          throw .unsupported(
            "turns \(type(of: value)) by k=2, of which Keras mixes up the rows unless it is square")
        }
      }
      return try add(Reverse(axes: axes.sorted()), [value])
    default: return try add(Reverse(axes: [axes[1]]), [try part(Transpose(axes: order), value)])
    }
  }

  /// Adds windows over the spatial axes, whose elements become channels in the order of the window,
  /// then of the input's channels.
  fileprivate mutating func addPatches() throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("images", at: 0)
    let written = isOperation ? try integers("size", at: 1) : nil
    let rank = type(of: value).rank
    let count = written.map { $0.count == 1 ? rank >= 5 ? 3 : 2 : $0.count } ?? 2
    let layout = try layout()
    guard rank == count + 2 || (rank == count + 1 && isOperation) else {
      throw .malformed("takes windows of \(count.counted("axis")) out of \(type(of: value))")
    }
    let sizes =
      if let written {
        written.count == 1 ? [Int](repeating: written[0], count: count) : written
      } else { try perAxis(["sizes", "ksizes"], count, layout) ?? [] }
    guard !sizes.isEmpty else { throw missing("sizes") }
    let window = try window(sizes, layout, defaultStrides: isOperation ? sizes : nil)
    // A single image becomes a batch.
    let isSingle = rank == count + 1
    let batch = isSingle ? try part(ExpandDims(axes: [0]), value) : value
    let isFirst = layout == .channelsFirst
    let last =
      isFirst ? try part(Transpose(axes: [0] + Array(2...count + 1) + [1]), batch) : batch
    var result = try windows(window, of: last)
    if isFirst {
      result = try part(Transpose(axes: [0, count + 1] + Array(1...count)), result)
    }
    return isSingle ? try add(Squeeze(axes: [0]), [result]) : try self.result(result)
  }

  /// The windows of `[batch, spatial..., channels]`.
  private mutating func windows(
    _ window: Window, of value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let count = window.size.count
    let taps = try Checked.product(window.size, of: "the size of a window")
    guard taps <= 1 << 12 else {
      throw .limitExceeded(
        "has windows of \(taps.counted("element")), expected "
          + "at most 4096")
    }
    var input = value
    if window.padding != .valid {
      var borders: [Int: (before: Int, after: Int)] = [:]
      for axis in 0..<count {
        // With a stride of 1, the padding does not depend on the size.
        let size = window.strides[axis] == 1 ? 64 : try size(axis + 1, of: value)
        do throws(ShapeError) {
          let placement = try window.placement(axis, dimension: size)
          let end = (placement.count - 1) * window.strides[axis] + window.effectiveSize(axis)
          borders[axis + 1] = (placement.before, max(0, end - placement.before - size))
        } catch { throw .malformed(error.reason) }
      }
      input = try bordered(value, borders)
    }
    if let block = try blocks(window, of: input) { return block }
    var parts: [ValueID] = []
    for tap in 0..<taps {
      var (remaining, ranges): (Int, [Slice.Range]) = (tap, [])
      for axis in (0..<count).reversed() {
        let start = remaining % window.size[axis] * window.dilation[axis]
        remaining /= window.size[axis]
        // As many elements as there are windows.
        let end = window.effectiveSize(axis) - 1 - start
        ranges.insert(
          .init(
            axis: axis + 1, start: start, stop: end == 0 ? nil : -end, step: window.strides[axis]),
          at: 0)
      }
      parts.append(try part(Slice(ranges), input))
    }
    return parts.count == 1
      ? parts[0] : try layer.add(Concatenate(axis: count + 1), parts, role: "concatenate")[0]
  }

  /// The windows as square blocks next to each other; `nil` for other windows.
  private mutating func blocks(
    _ window: Window, of value: ValueID
  ) throws(WeighbridgeError) -> ValueID? {
    let type = self.type(of: value)
    guard window.size.count == 2, window.size[0] == window.size[1], window.size == window.strides,
      window.dilation == [1, 1], let height = type.shape[1].value, let width = type.shape[2].value,
      min(height, width) >= window.size[0]
    else { return nil }
    let block = window.size[0]
    var input = value
    for (axis, size) in [(1, height), (2, width)] where size % block != 0 {
      input = try sliced(input, axis: axis, from: 0, to: size / block * block)
    }
    return try part(SpaceToDepth(block: block, layout: .channelsLast), input)
  }
}
