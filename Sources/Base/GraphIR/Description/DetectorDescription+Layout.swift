@_exported public import DetectorRecord

extension DetectorDescription {
  /// The order of a head's elements.
  ///
  /// - Parameter layout: The order of the image's axes: the order of heads that do not set their
  ///   own.
  package func order(in layout: DataLayout) -> Order {
    grid?.order ?? (layout == .channelsFirst ? .channelsFirst : .channelsLast)
  }
}
