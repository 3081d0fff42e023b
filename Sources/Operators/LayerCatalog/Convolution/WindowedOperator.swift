package import GraphIR

/// An operator with a window that slides over the spatial axes of its first input.
package protocol WindowedOperator: ImageOperator {
  /// The window.
  var window: Window { get }
  /// Returns the operator with another window.
  func replacing(_ window: Window) -> Self
}

extension WindowedOperator {
  /// The same operator with the padding that its windows actually use for an input, given
  /// explicitly, so that equivalent paddings become equal.
  ///
  /// - Returns: The operator itself if a size of the input is unknown.
  package func resolvingPadding(for input: TensorType) -> Self {
    var (before, after) = ([Int](), [Int]())
    let dimensions = input.shape[layout.spatialAxes(rank: input.rank)].compactMap(\.value)
    guard dimensions.count == window.size.count else { return self }
    for (axis, dimension) in dimensions.enumerated() {
      guard let placement = try? window.placement(axis, dimension: dimension) else { return self }
      let end = (placement.count - 1) * window.strides[axis] + window.effectiveSize(axis)
      before.append(placement.before)
      after.append(max(0, end - placement.before - dimension))
    }
    return replacing(
      Window(
        size: window.size, strides: window.strides, dilation: window.dilation,
        padding: .explicit(before: before, after: after)))
  }
}

extension Convolution: WindowedOperator {
  package func replacing(_ window: Window) -> Convolution {
    Convolution(window: window, groups: groups, hasBias: hasBias, layout: layout)
  }
}

extension MaxPooling: WindowedOperator {
  package func replacing(_ window: Window) -> MaxPooling {
    MaxPooling(window: window, layout: layout)
  }
}

extension AveragePooling: WindowedOperator {
  package func replacing(_ window: Window) -> AveragePooling {
    AveragePooling(window: window, countIncludePad: countIncludePad, layout: layout)
  }
}
