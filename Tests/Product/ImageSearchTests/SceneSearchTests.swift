import ImageSearch
import TestSupport
import Testing

/// Search on the samples: 60 drawn scenes and 200 drawn sketches.
@Suite struct SceneSearchTests {
  @Test("The scene that a layout was taken from comes first in at least 58 of 60")
  func scenes() throws {
    let scenes = try Scene.first(Scene.count)
    let album = try Album(scenes: scenes)
    var options = AnalyzeOptions()
    // When a box has two likely classes, the more confident one counts.
    options.detection.suppression = .classAgnostic
    let analyzer = try ImageAnalyzer(try Models.sceneDetector(), options: options)
    let index = try ImageIndex(updating: album.index, for: analyzer)
    let update = try index.update(folder: album.images, with: analyzer)
    #expect(update.analyzedCount == scenes.count && update.problems.isEmpty)
    var firstCount = 0
    for (number, scene) in scenes.enumerated() {
      var query = CompositionQuery(scene.composition)
      query.maximumCost = .infinity
      let results = try index.search(query)
      #expect(results.count == scenes.count)
      firstCount += results.first?.path == canonicalPath(album.path(number)) ? 1 : 0
      for count in [1, 7] {
        query.maximumCount = count
        #expect(try index.search(query) == Array(results.prefix(count)))
      }
    }
    #expect(firstCount == 58, "as record.py counts it, on Keras and a cost of its own")
  }

  @Test("A drawing's own class comes first for at least 180 of 200 sketches")
  func sketches() throws {
    let analyzer = try Models.sketchAnalyzer(features: "dense_1")
    let index = try ImageIndex(inMemoryFor: analyzer)
    try index.update(
      folder: Paths.sample("Models/sketch-classifier/sketches"), with: analyzer)
    let table = try index.featureTable()
    try #require(table.entries.count == 200 && table.entries[0].features.count == 64)
    var rightCount = 0
    for entry in table.entries {
      let ranking = try table.ranking(by: .cosine, from: entry.features, excluding: entry.path)
      let nearest = try #require(ranking.matches.first).path
      rightCount += name(nearest) == name(entry.path) ? 1 : 0
    }
    #expect(rightCount >= 180, "\(rightCount) of 200")
    #expect(rightCount == 188, "as NumPy counts it, on what Keras computed of these sketches")
  }

  /// The category in a file's name, such as `007-star.png`.
  private func name(_ path: String) -> Substring? { path.split(separator: "-").last }
}
