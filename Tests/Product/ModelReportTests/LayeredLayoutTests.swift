import Bytes
import Testing

@testable import ModelReport

@Suite struct LayeredLayoutTests {
  typealias Arrow = LayeredLayout.Arrow

  /// Random arrows between boxes, most of them short and forward.
  private static func arrows(_ count: Int, seed: UInt64, cycles: Bool) -> [Arrow] {
    var generator = SplitMix64(seed: seed)
    return (0..<2 * count).map { _ in
      let from = Int(generator.next() % UInt64(count))
      let distance = Int(generator.next() % 7) - (cycles ? 2 : -1)
      return Arrow(from: from, to: min(count - 1, max(0, from + distance)))
    }
  }

  @Test("Arrows point down, and boxes of a row do not touch", arguments: 0..<20 as Range<UInt64>)
  func rows(seed: UInt64) {
    let count = 40
    let arrows = Self.arrows(count, seed: seed, cycles: false)
    let widths = (0..<count).map { Double(60 + $0 * 37 % 90) }
    let layout = LayeredLayout(widths: widths, arrows: arrows)
    #expect(layout.routes.count == arrows.count)
    for (arrow, route) in zip(arrows, layout.routes) where arrow.from != arrow.to {
      #expect(layout.centers[arrow.from].y < layout.centers[arrow.to].y)
      #expect(zip(route, route.dropFirst()).allSatisfy { $0.y < $1.y })
      #expect(route.first?.x == layout.centers[arrow.from].x)
      #expect(route.last?.x == layout.centers[arrow.to].x)
    }
    for first in 0..<count {
      #expect(layout.centers[first].x - widths[first] / 2 >= 0)
      #expect(layout.centers[first].x + widths[first] / 2 <= layout.width)
      for second in 0..<first where layout.centers[first].y == layout.centers[second].y {
        let distance = abs(layout.centers[first].x - layout.centers[second].x)
        #expect(distance >= (widths[first] + widths[second]) / 2)
      }
    }
  }

  @Test("Cycles are laid out, and equal graphs equally", arguments: 0..<20 as Range<UInt64>)
  func cycles(seed: UInt64) {
    let arrows = Self.arrows(30, seed: seed, cycles: true) + [Arrow(from: 3, to: 3)]
    let widths = [Double](repeating: 80, count: 30)
    let layouts = (0..<2).map { _ in LayeredLayout(widths: widths, arrows: arrows) }
    #expect(layouts[0].centers == layouts[1].centers && layouts[0].routes == layouts[1].routes)
    #expect(Set(layouts[0].centers).count == 30, "two boxes stand in one place")
    #expect(layouts[0].routes.last == [])
    #expect(layouts[0].centers.allSatisfy { $0.x.isFinite && $0.y.isFinite })
  }

  @Test("A chain is straight")
  func chain() {
    let arrows = (0..<9).map { Arrow(from: $0, to: $0 + 1) }
    let layout = LayeredLayout(widths: (0..<10).map { Double(80 + $0) }, arrows: arrows)
    #expect(layout.centers.allSatisfy { abs($0.x - layout.centers[0].x) < 1e-6 })
    #expect(layout.centers.map(\.y) == layout.centers.map(\.y).sorted())
  }

  @Test("An arrow that skips rows passes beside the boxes on its way")
  func lanes() {
    let arrows = [Arrow(from: 0, to: 1), Arrow(from: 1, to: 2), Arrow(from: 0, to: 2)]
    let layout = LayeredLayout(widths: [80, 80, 80], arrows: arrows)
    #expect(layout.routes[2].count == 4)
    #expect(
      layout.routes[2].dropFirst().dropLast().allSatisfy { abs($0.x - layout.centers[1].x) > 40 })
  }

  @Test("A fully connected graph and an empty one are laid out")
  func extremes() {
    let all = (0..<48).flatMap { to in (0..<to).map { Arrow(from: $0, to: to) } }
    let dense = LayeredLayout(widths: [Double](repeating: 80, count: 48), arrows: all)
    #expect(Set(dense.centers.map(\.y)).count == 48)
    let empty = LayeredLayout(widths: [], arrows: [])
    #expect(empty.centers.isEmpty && empty.routes.isEmpty)
  }
}
