"""Common English words without a meaning in games: the names of rule sheets whose names are replaced by words."""

from __future__ import annotations

_TEXT = """
acorn actor airport almond anchor ankle apple apricot apron arch attic autumn bacon bagel bakery balcony ballad
banana banjo barley barrel basil basket bath battery beach beard beaver bedroom beetle bench berry bicycle biscuit
blanket blouse bonnet book boot bottle bowl bracelet brass bread breakfast breeze brick bridge broom bucket buffalo
butter button cabbage cabin cactus cake camel camera canal candle canoe canyon carpet carrot castanet cattle
ceiling celery cello cement cereal chair chalk cheese cherry chest chimney chocolate cider cinema cinnamon circus
clarinet clay clinic cloak clock cloud clover coal coat cobweb coconut coffee collar comet compass concert cookie
copper coral cork cotton cough cousin crayon cream cricket crocodile cucumber cupboard curtain cushion daisy dairy
dancer dentist desert desk dessert diary dinner doctor dolphin donkey doorbell dragonfly drawer drizzle drum
dust eagle earring easel echo elbow elephant elevator emerald engine envelope evening eyebrow fabric factory falcon
farmer feather fennel fern ferry festival fiddle fig finger fireplace flame flannel flour flower flute foam fog
forest fork fountain fox freckle frost fruit funnel furnace galaxy garage garden garlic gazelle geyser giraffe
glacier glove goat gondola goose grain granite grape grass gravel guitar gutter hail hammer hammock harbour harp
harvest hazel heater hedge helmet herring hinge honey horizon hospital hotel hurricane ice igloo ink insect
iron island ivory jacket jaguar jam jasmine jelly jewel juice jungle kangaroo kettle kitchen kitten koala
ladder ladle lagoon lake lamb lantern laundry lavender lawn leaf leather lemon lemonade leopard lettuce library
lightning lily lime linen lizard lobster locket lotus lunch lute magnet mango maple marble market marmalade
mattress meadow melon mermaid meteor milk mint mirror mist mitten monkey moon moss moth motor mountain mouse
mushroom music mustard napkin necklace needle nephew nest nettle noodle nurse nutmeg oak oasis oatmeal ocean octopus
office olive onion opera orange orchid ostrich otter oven owl oyster paddle paint palace pancake panda papaya paper
parade parcel parrot parsley pasta peach peacock peanut pear pebble pelican pencil penguin pepper perfume piano
pickle picnic pillow pine pistachio planet plastic plum pocket poem polka pond pony poppy porch porridge potato
pottery powder pretzel pudding pumpkin puppy quilt rabbit radar radio radish rain raisin rake raspberry raven
recipe restaurant ribbon rice rooster rose rubber ruby rug saddle sailor salad salmon salt sandal sandwich
sapphire sauce sausage scarf school scissors seagull seaweed secret shampoo shawl shelf sherbet shirt shoe
shovel shower shrimp silk singer sink skirt sleeve slipper smoke snail snow soap sock sofa soup spaghetti sparrow
spider spinach spoon squirrel stable stadium stamp statue steam stocking stove strawberry suitcase summer sunflower
sunrise swan sweater syrup tailor tambourine tangerine teacher teapot telescope tent theatre thermos thimble
thunder ticket tiger toast tomato tornado towel tractor train trumpet tulip tunnel turkey turnip turtle twig
umbrella uncle vacuum valley vanilla velvet village vinegar violet violin volcano waffle wagon waist walnut walrus
wardrobe waterfall weasel weather wheat whisker whistle willow window winter wool workshop yoghurt zebra zipper
"""

ENGLISH_WORDS = tuple(_TEXT.split())
