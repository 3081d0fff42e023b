import Bytes
import ImageSearch
import TestSupport
import Testing
import Vision

@Suite("Searching drawn images")
struct SceneSearchTests {
  @Test("The scene that a layout was taken from comes first in at least 58 of 60")
  func scenes() throws {
    let scenes = DrawnScene.scenes(60, seed: 1960)
    let album = try Album(scenes: scenes)
    let analyzer = try Models.analyzer()
    let index = try ImageIndex(updating: album.index, for: analyzer)
    let update = try index.update(folder: album.images, with: analyzer)
    #expect(update.analyzedCount == 60 && update.problems.isEmpty)
    var firstCount = 0
    for (number, scene) in scenes.enumerated() {
      var query = CompositionQuery(scene.composition)
      query.maximumCost = .infinity
      let results = try index.search(query)
      #expect(results.count == 60)
      firstCount += results.first?.path == canonicalPath(album.path(number)) ? 1 : 0
    }
    #expect(firstCount >= 40, "\(firstCount) of 60")
    withKnownIssue("By the boxes that the small detector finds, 44 come first") {
      #expect(firstCount >= 58, "\(firstCount) of 60")
    }
  }

  @Test("A drawing's own class comes first for at least 180 of 200 sketches")
  func sketches() throws {
    let sketches = DrawnSketch.sketches(200, seed: 200)
    let album = try Album()
    for (number, sketch) in sketches.enumerated() {
      try sketch.image.write(to: "\(album.images)/\(sketch.category.rawValue)-\(number).png")
    }
    let analyzer = try Models.sketchAnalyzer()
    let index = try ImageIndex(inMemoryFor: analyzer)
    try index.update(folder: album.images, with: analyzer)
    let table = try index.featureTable()
    try #require(table.entries.count == 200 && table.entries[0].features.count == 8)
    var rightCount = 0
    for entry in table.entries {
      let ranking = try table.ranking(by: .cosine, from: entry.features, excluding: entry.path)
      let nearest = try #require(ranking.matches.first).path
      rightCount += name(nearest) == name(entry.path) ? 1 : 0
    }
    #expect(rightCount >= 180, "\(rightCount) of 200")
  }

  /// The category in a file's name.
  private func name(_ path: String) -> Substring? {
    path.split(separator: "/").last?.split(separator: "-").first
  }
}
