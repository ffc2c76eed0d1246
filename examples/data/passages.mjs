/** Short passages that the examples search, each about one of a few neighboring topics. */
export const passages = [
  'Honeybees find flowers by color, by scent, and by patterns that only show in ultraviolet light.',
  'A forager that has found nectar dances on the comb; the dance tells the others direction and distance.',
  'Bumblebees learn which flowers pay best and visit them in a fixed round, day after day.',
  'Petals carry ultraviolet marks that lead an insect to the nectar like lights on a runway.',
  'Many orchids smell of female wasps; males that come to mate carry the pollen away.',
  'Moths visit pale flowers at night, which they find by their heavy scent.',
  'Bats drink from large night flowers and dust their fur with pollen.',
  'Hummingbirds prefer red tubes with much nectar and little scent.',
  'Wind carries the pollen of grasses and of most trees in cold countries.',
  'A beekeeper opens the hive on a warm day and looks for the queen and her eggs.',
  'Smoke calms a hive, because the bees fill themselves with honey and become slow.',
  'Wooden frames let a beekeeper lift out one comb without breaking the others.',
  'A mite that feeds on larvae has killed many colonies, and beekeepers count it on a white board.',
  'In winter the colony forms a ball around its queen and lives on honey.',
  'The price of honey rises after a wet summer, when bees could not fly.',
  'Cheap syrup is sold as honey; laboratories tell them apart by their isotopes.',
  'Almond growers rent a million hives each spring, and trucks bring them across the country.',
  'Orchards with wild hedges get more visits and set more fruit than those without.',
  'Some sprays that farmers use make bees forget the way home.',
  'A meadow that is mown once a year keeps more kinds of insects than a lawn.',
  'Street lamps draw moths away from flowers, which then set fewer seeds.',
  'Cities with many gardens have more kinds of wild bees than the fields around them.',
  'Solitary bees nest in hollow stems and in holes that beetles left in dead wood.',
  'Cuckoo bees lay their eggs in the nests of others and gather no pollen.',
]

/** The query of the examples. */
export const question = 'What do beekeepers do in the hive?'
