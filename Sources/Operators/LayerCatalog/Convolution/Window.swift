package import Bytes
package import GraphIR

/// What a sliding window leaves out or adds at the borders.
package enum WindowPadding: Hashable, Sendable {
  /// Nothing is added; positions that do not fit are left out.
  case valid
  /// So much is added that the output has ceil(size / stride) positions; of an odd amount the
  /// larger half goes behind (TensorFlow's `SAME`).
  case same
  /// So much for each spatial axis, in elements.
  case explicit(before: [Int], after: [Int])
}

/// A window that slides over the spatial axes of an image tensor; one entry an axis.
package struct Window: Hashable, Sendable {
  /// The window's sizes, in elements; at least 1 each.
  package let size: [Int]
  /// The steps between positions; at least 1 each.
  package let strides: [Int]
  /// The distances between the window's elements; at least 1 each.
  package let dilation: [Int]
  /// What happens at the borders.
  package let padding: WindowPadding

  /// Makes a window.
  package init(size: [Int], strides: [Int], dilation: [Int], padding: WindowPadding) {
    self.size = size
    self.strides = strides
    self.dilation = dilation
    self.padding = padding
  }

  /// Where a window goes along one axis.
  package struct Placement: Hashable, Sendable {
    /// Elements added in front.
    package let before: Int
    /// Elements added behind; 0 also when positions are left out.
    package let after: Int
    /// The number of positions.
    package let count: Int
  }

  /// Where the window goes along a spatial axis of `dimension` elements.
  ///
  /// - Throws: When the window does not fit once, or the axis is longer than any memory.
  package func placement(_ axis: Int, dimension: Int) throws(ShapeError) -> Placement {
    // With this and the bounds in `problem`, nothing below can overflow.
    guard dimension <= 1 << 48 else {
      throw ShapeError("an axis of \(dimension) elements is too long")
    }
    let reach = reach(axis)
    var (before, after) = (0, 0)
    switch padding {
    case .valid: break
    case .same:
      let count = (dimension + strides[axis] - 1) / strides[axis]
      let total = max(0, (count - 1) * strides[axis] + reach - dimension)
      (before, after) = (total / 2, total - total / 2)
    case .explicit(let fronts, let backs): (before, after) = (fronts[axis], backs[axis])
    }
    let padded = dimension + before + after
    guard padded >= reach else {
      throw ShapeError(
        "a window of \(reach) elements does not fit an axis of \(dimension)"
          + (before + after > 0 ? " padded by \(before) and \(after)" : ""))
    }
    return Placement(
      before: before, after: after, count: (padded - reach) / strides[axis] + 1)
  }

  /// What is added before and behind each axis; `nil` where that follows from a size that is open.
  package func borders(of dimensions: [Dimension]) -> (before: [Int], after: [Int])? {
    switch padding {
    case .valid: return (dimensions.map { _ in 0 }, dimensions.map { _ in 0 })
    case .explicit(let before, let after): return (before, after)
    case .same:
      let places = dimensions.enumerated().compactMap { axis, dimension in
        dimension.value.flatMap { try? placement(axis, dimension: $0) }
      }
      return places.count == dimensions.count ? (places.map(\.before), places.map(\.after)) : nil
    }
  }

  /// How many elements lie between the first and the last of a window, both included.
  package func reach(_ axis: Int) -> Int { (size[axis] - 1) * dilation[axis] + 1 }

  /// Whether a position may see nothing but padding.
  package var mayLieInPadding: Bool {
    guard case .explicit(let before, let after) = padding else { return false }
    return size.indices.contains { max(before[$0], after[$0]) >= reach($0) }
  }

  /// The output's spatial sizes for an input's.
  package func outputDimensions(_ dimensions: [Dimension]) throws(ShapeError) -> [Dimension] {
    guard dimensions.count == size.count else {
      throw ShapeError("a window of \(size.count) axes on an input with \(dimensions.count)")
    }
    var result: [Dimension] = []
    for (axis, dimension) in dimensions.enumerated() {
      result.append(
        try dimension.map { (value) throws(ShapeError) in
          try placement(axis, dimension: value).count
        })
    }
    return result
  }
}

extension Window {
  /// The settings of a window, in their stored form.
  package func append(to attributes: inout Attributes) {
    attributes.append("window", .integers(size))
    attributes.append("strides", .integers(strides))
    attributes.append("dilation", .integers(dilation))
    switch padding {
    case .valid: attributes.append("padding", .text("valid"))
    case .same: attributes.append("padding", .text("same"))
    case .explicit(let before, let after):
      attributes.append("padding", .text("explicit"))
      attributes.append("padding_before", .integers(before))
      attributes.append("padding_after", .integers(after))
    }
  }

  /// The words for the padding.
  package enum PaddingWord: String, CaseIterable { case valid, same, explicit }

  /// What is stored, as data.
  static func definitions(
    paddings: [PaddingWord] = PaddingWord.allCases
  ) -> [AttributeDefinition] {
    let isExplicit = Presence.when("padding", [.text(PaddingWord.explicit.rawValue)])
    func sizes(
      _ name: String, _ meaning: String, _ minimum: Double, _ count: Constraint
    ) -> AttributeDefinition {
      .integers(name, meaning, .atLeast(minimum), .sizeLimit, count).explained(by: .windows)
    }
    return [
      sizes("window", "The window's size along each spatial axis.", 1, .minimumCount(1)),
      sizes("strides", "The distance from one window to the next.", 1, .countOf("window")),
      sizes(
        "dilation", "The distance from one element of the window to the next.", 1,
        .countOf("window")),
      .choice(
        "padding", PaddingWord.self, "What is added at the borders.", among: paddings
      ) {
        switch $0 {
        case .valid: "nothing"
        case .same: "so much that there are ceil(size / stride) windows"
        case .explicit: "what `padding_before` and `padding_after` say"
        }
      }.explained(by: .windows),
      sizes("padding_before", "Elements in front of each spatial axis.", 0, .countOf("window"))
        .present(isExplicit),
      sizes("padding_after", "Elements behind each spatial axis.", 0, .countOf("window"))
        .present(isExplicit),
    ]
  }

  /// Reads the settings of a window.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for sizes, steps or distances below 1,
  ///   negative padding, or lists of different lengths.
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    let size = try attributes.integers("window")
    let strides = try attributes.integers("strides")
    let dilation = try attributes.integers("dilation")
    let padding: WindowPadding
    switch try attributes.word("padding", as: PaddingWord.self) {
    case .valid: padding = .valid
    case .same: padding = .same
    case .explicit:
      padding = .explicit(
        before: try attributes.integers("padding_before"),
        after: try attributes.integers("padding_after"))
    }
    self.init(size: size, strides: strides, dilation: dilation, padding: padding)
    if let problem { throw attributes.malformed(problem) }
  }

  /// Why these settings cannot be, if they cannot.
  package var problem: String? {
    var lists = [strides, dilation]
    if case .explicit(let before, let after) = padding {
      lists += [before, after]
      if (before + after).contains(where: { $0 < 0 || $0 > Self.limit }) {
        return "a padding below 0 or above \(Self.limit)"
      }
    }
    if lists.contains(where: { $0.count != size.count }) {
      return "settings for different numbers of spatial axes"
    }
    let positive = size + strides + dilation
    if positive.contains(where: { $0 < 1 || $0 > Self.limit }) {
      return "a window size, stride or dilation below 1 or above \(Self.limit)"
    }
    return size.isEmpty ? "no spatial axis" : nil
  }

  /// The largest size, stride, dilation or padding: more than any network has, and small enough
  /// for the product of two.
  private static let limit = 1 << 24
}
