/// The order of an image tensor's axes, with any number of spatial axes.
public enum DataLayout: String, Hashable, Sendable, CaseIterable {
  /// `[batch, height, width, channels]`
  case channelsLast = "channels_last"
  /// `[batch, channels, height, width]`
  case channelsFirst = "channels_first"

  /// The index of the channel axis in a tensor of `rank` axes.
  package func channelAxis(rank: Int) -> Int { self == .channelsFirst ? 1 : rank - 1 }

  /// The indices of the spatial axes in a tensor of `rank` axes.
  package func spatialAxes(rank: Int) -> Range<Int> {
    self == .channelsFirst ? 2..<rank : 1..<rank - 1
  }

  /// The indices of an image's channel, height and width axes in a tensor of 4 axes, or of 3
  /// without a batch, as in Core ML; `nil` for other ranks.
  package func imageAxes(rank: Int) -> (channels: Int, height: Int, width: Int)? {
    guard rank == 3 || rank == 4 else { return nil }
    let first = rank - 3
    return self == .channelsFirst
      ? (first, first + 1, first + 2) : (first + 2, first, first + 1)
  }

  /// The other order.
  package var opposite: DataLayout { self == .channelsFirst ? .channelsLast : .channelsFirst }

  /// The permutation that transposes a tensor from this order to channels-first.
  package func axesToChannelsFirst(rank: Int) -> [Int] {
    self == .channelsFirst ? Array(0..<rank) : [0, rank - 1] + Array(1..<rank - 1)
  }

  /// The inverse of ``axesToChannelsFirst(rank:)``.
  package func axesFromChannelsFirst(rank: Int) -> [Int] {
    self == .channelsFirst ? Array(0..<rank) : [0] + Array(2..<rank) + [1]
  }

  /// The order of a tensor after a transposition in which axis `axes[i]` becomes axis `i`; `nil`
  /// when it is neither order.
  package func permuted(by axes: [Int]) -> DataLayout? {
    let rank = axes.count
    if axes == Array(0..<rank) { return self }
    guard rank >= 3 else { return nil }
    let permutation =
      self == .channelsLast
      ? axesToChannelsFirst(rank: rank) : opposite.axesFromChannelsFirst(rank: rank)
    return axes == permutation ? opposite : nil
  }
}
