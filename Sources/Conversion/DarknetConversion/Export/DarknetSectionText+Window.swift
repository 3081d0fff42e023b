import LayerCatalog

extension DarknetSectionText {
  /// Adds a window's settings: `padding` is that of one side, and `pad` sets it to half the size.
  ///
  /// - Parameter strides: The strides of the blur if there is one, instead of the window's.
  mutating func set(window: Window, strides: [Int]? = nil, groups: Int = 1) {
    var padding = 0
    if case .explicit(let before, _) = window.padding {
      padding = before[0] / window.dilation[0]
    }
    set(window: window, padding: padding, strides: strides, groups: groups)
  }

  /// Adds a window's settings with a padding of each side; half of the size is written as a flag.
  mutating func set(window: Window, padding: Int, strides: [Int]? = nil, groups: Int) {
    let size = window.size[0]
    set("size", size)
    set(strides: strides ?? window.strides)
    if padding == size / 2 { flag("pad", padding > 0) } else { set("padding", padding) }
    set("dilation", window.dilation[0], unless: 1)
    set("groups", groups, unless: 1)
  }

  /// Adds the strides along height and width.
  mutating func set(strides: [Int]) {
    if strides[0] == strides[1] {
      set("stride", strides[0])
    } else {
      set("stride_x", strides[1])
      set("stride_y", strides[0])
    }
  }
}
